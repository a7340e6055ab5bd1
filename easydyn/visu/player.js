// The player of easydyn: shows a scene in space, moved by recorded frames or by sliders.
//
//     const player = easydynPlayer(root, data)
//
// `root` is an element of the page, all that the player makes is inside of it; `data` is what page.py writes.
// Several players on a page know nothing of each other: nothing here is global, nothing is fetched.
//
// 1. numbers: base64, vectors, matrices (arrays of 16, by columns), poses, straight-line programs, ticks
// 2. renderers: WebGL, or triangles sorted by depth on a plain canvas
// 3. plots
// 4. the player: controls, mouse, touch, keyboard

const easydynPlayer = (() => {
  "use strict";

  // -- 1. numbers ----------------------------------------------------------------------------------------------

  // Curves: in a dark page black and blue are too dark.
  const COLOURS = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1a1a1a"],
    dark: ["#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8080ff", "#f2f2f2"],
  };
  const PALE = 0.45;  // curves of a second run
  const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [4, 4], [14, 4], [1, 4]];

  // The numbers of a text in base64: kind is a typed array.
  function decoded(text, kind) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new kind(bytes.buffer);
  }

  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => { const n = norm(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const across = (a) => unit(cross(Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0], a));

  // The product of two matrices.
  function product(a, b) {
    const c = new Float32Array(16);
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 4; i++)
        c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
    return c;
  }

  // Where a matrix takes a point.
  const moved = (m, p) => [
    m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
    m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
    m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
  ];

  // The matrix of a pose: a quaternion, scalar first, of any length but zero, and a position.
  function matrixOfPose(e, x) {
    const n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] || 1;
    const [a, b, c, d] = e, s = 2 / n;
    return Float32Array.of(
      1 - s * (c * c + d * d), s * (b * c + a * d), s * (b * d - a * c), 0,
      s * (b * c - a * d), 1 - s * (b * b + d * d), s * (c * d + a * b), 0,
      s * (b * d + a * c), s * (c * d - a * b), 1 - s * (b * b + c * c), 0,
      x[0], x[1], x[2], 1);
  }

  // The matrix of the rows R11 R12 R13 x, R21 ... that a program gives.
  const matrixOfRows = (v, k) => Float32Array.of(
    v[k], v[k + 4], v[k + 8], 0, v[k + 1], v[k + 5], v[k + 9], 0, v[k + 2], v[k + 6], v[k + 10], 0,
    v[k + 3], v[k + 7], v[k + 11], 1);

  // Scaled along the axes, then displaced.
  const placed = (s, o) => Float32Array.of(s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, o[0], o[1], o[2], 1);

  // Takes z from 0 to 1 to the line from p to q, without change across.
  function between(p, q) {
    const line = sub(q, p), length = norm(line) || 1e-12, z = unit(norm(line) ? line : [0, 0, 1]);
    const x = across(z), y = cross(z, x);
    return Float32Array.of(...x, 0, ...y, 0, z[0] * length, z[1] * length, z[2] * length, 0, ...p, 1);
  }

  // From the axes of the world to those of an eye, which looks along -z.
  function lookAt(eye, target, up) {
    const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
    return Float32Array.of(x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
      -dot(x, eye), -dot(y, eye), -dot(z, eye), 1);
  }

  function perspective(angle, aspect, near, far) {
    const f = 1 / Math.tan(angle / 2);
    return Float32Array.of(f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
      0, 0, 2 * far * near / (near - far), 0);
  }

  // What the nine elements of a matrix do to normals: its cofactors.
  function normalMatrix(m) {
    const a = [m[0], m[1], m[2]], b = [m[4], m[5], m[6]], c = [m[8], m[9], m[10]];
    return Float32Array.of(...cross(b, c), ...cross(c, a), ...cross(a, b));
  }

  const OPERATIONS = {
    add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, neg: (a) => -a,
    pow: (a, b) => a ** b, atan2: (a, b) => Math.atan2(a, b), min: (a, b) => Math.min(a, b),
    max: (a, b) => Math.max(a, b), mod: (a, b) => a - b * Math.floor(a / b),
    lt: (a, b) => +(a < b), le: (a, b) => +(a <= b), eq: (a, b) => +(a === b),
    and: (a, b) => +(a && b), or: (a, b) => +(a || b), not: (a) => +!a, select: (c, a, b) => (c ? a : b),
  };
  for (const name of ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "exp", "log", "abs", "floor", "ceil", "sign"]) OPERATIONS[name] = Math[name];

  // A straight-line program {constants, inputs, operations, outputs} as a function of {t, q, qd}.
  // Values are numbered: constants, then inputs such as ["q", 0], then operations such as ["add", 3, 4].
  function compiled(program) {
    const first = program.constants.length, inputs = program.inputs;
    const steps = program.operations.map(([name, ...places]) => {
      if (!Object.hasOwn(OPERATIONS, name)) throw new Error(`unknown operation ${name}`);
      return [OPERATIONS[name], ...places];
    });
    const v = new Float64Array(first + inputs.length + steps.length);
    v.set(program.constants);
    return (state) => {
      inputs.forEach(([slot, j], k) => { v[first + k] = slot === "t" ? state.t : state[slot][j]; });
      let place = first + inputs.length;
      for (const [f, a, b, c] of steps) v[place++] = f(v[a], v[b], v[c]);
      return program.outputs.map((k) => v[k]);
    };
  }

  // Round numbers for an axis from low to high, about `count` of them.
  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(1, count) || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found;
  }

  // A number with as many digits as a picture needs.
  function shown(x, digits = 4) {
    if (!Number.isFinite(x)) return "–";
    if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5)) return x.toExponential(digits - 2).replace("e+", "e");
    return String(+x.toPrecision(digits));
  }

  // Nodes of a mesh from whole numbers that share the box from -1/2 to 1/2.
  function nodesOf(mesh) {
    const whole = decoded(mesh.nodes, Int16Array), nodes = new Float32Array(whole.length);
    for (let k = 0; k < whole.length; k++) nodes[k] = whole[k] / 65534;
    return nodes;
  }

  // Corners of triangles with normals of their own: smooth over angles of up to 40 degrees, sharp above.
  // `scale` is what the nodes are multiplied by before angles are taken.
  function corners(nodes, triangles, scale) {
    const count = triangles.length, flat = [], touching = new Map();
    const at = (i) => [nodes[3 * i] * scale[0], nodes[3 * i + 1] * scale[1], nodes[3 * i + 2] * scale[2]];
    for (let k = 0; k < count; k += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => at(triangles[k + j])), n = cross(sub(b, a), sub(c, a));
      flat.push(n);
      for (let j = 0; j < 3; j++) {
        const i = triangles[k + j];
        if (!touching.has(i)) touching.set(i, []);
        touching.get(i).push(k / 3);
      }
    }
    const points = new Float32Array(3 * count), normals = new Float32Array(3 * count), units = flat.map(unit);
    for (let k = 0; k < count; k++) {
      const i = triangles[k], own = units[(k / 3) | 0];
      let n = [0, 0, 0];
      for (const other of touching.get(i)) if (dot(units[other], own) > 0.76) n = plus(n, flat[other]);
      points.set(nodes.subarray(3 * i, 3 * i + 3), 3 * k);
      normals.set(unit(n), 3 * k);
    }
    return { points, normals };
  }

  // Nodes and triangles with no side longer than `most`: what is sorted by depth has to be small.
  function finer({ nodes, triangles, scale }, most) {
    const points = Array.from(nodes), done = [], open = [], middles = new Map();
    const length = (a, b) => norm([0, 1, 2].map((j) => (points[3 * a + j] - points[3 * b + j]) * scale[j]));
    for (let k = 0; k < triangles.length; k += 3) open.push(Array.from(triangles.subarray(k, k + 3)));
    while (open.length) {
      const [a, b, c] = open.pop(), sides = [[a, b, c], [b, c, a], [c, a, b]];
      const lengths = sides.map(([p, q]) => length(p, q)), longest = Math.max(...lengths);
      if (longest <= most || done.length > 30000) { done.push(a, b, c); continue; }
      const [p, q, r] = sides[lengths.indexOf(longest)], key = `${Math.min(p, q)} ${Math.max(p, q)}`;
      if (!middles.has(key)) {
        middles.set(key, points.length / 3);
        for (let j = 0; j < 3; j++) points.push((points[3 * p + j] + points[3 * q + j]) / 2);
      }
      const middle = middles.get(key);
      open.push([p, middle, r], [middle, q, r]);
    }
    return { nodes: Float32Array.from(points), triangles: Uint32Array.from(done) };
  }

  // What a colour of a part is in a dark page: greys change places, so that what was nearly black is nearly white.
  function inDark(colour) {
    const [r, g, b] = colour;
    return Math.max(r, g, b) - Math.min(r, g, b) < 0.05 ? [r, g, b].map((x) => Math.min(1, 1.12 - 0.95 * x)) : colour;
  }

  // Unit normals at the nodes of a surface.
  function normalsOf(nodes, triangles) {
    const found = new Float32Array(nodes.length);
    const at = (i) => [nodes[3 * i], nodes[3 * i + 1], nodes[3 * i + 2]];
    for (let k = 0; k < triangles.length; k += 3) {
      const [i, j, l] = triangles.subarray(k, k + 3), a = at(i), n = cross(sub(at(j), a), sub(at(l), a));
      for (const own of [i, j, l]) for (let m = 0; m < 3; m++) found[3 * own + m] += n[m];
    }
    for (let k = 0; k < found.length; k += 3) found.set(unit([found[k], found[k + 1], found[k + 2]]), k);
    return found;
  }

  // The colour [r, g, b] of a value on a scale {limits, stops}; grey for what is no number.
  function tintOf(value, { limits: [low, high], stops }) {
    if (!Number.isFinite(value)) return [0.6, 0.6, 0.6];
    const s = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (stops.length - 1);
    const k = Math.min(Math.floor(s), stops.length - 2);
    return stops[k].map((c, j) => c + (s - k) * (stops[k + 1][j] - c));
  }

  const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);

  // -- 2. renderers --------------------------------------------------------------------------------------------
  // Each has load(mesh) -> handle, draw(items, camera) with items {handle, matrix, colour, opacity}, and a name.

  function webglRenderer(canvas) {
    const gl = canvas.getContext("webgl", { antialias: true, alpha: false });
    if (!gl) return null;
    const shader = (kind, source) => {
      const s = gl.createShader(kind);
      gl.shaderSource(s, source);
      gl.compileShader(s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
      return s;
    };
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, `
      attribute vec3 point, normal, tint; uniform mat4 whole; uniform mat3 turn; varying vec3 n, own;
      void main() { gl_Position = whole * vec4(point, 1.0); n = turn * normal; own = tint; }`));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `
      precision mediump float; varying vec3 n, own; uniform float opacity, lit; uniform vec3 light;
      void main() {
        vec3 u = normalize(n);
        if (lit > 1.5 && dot(u, light) < 0.0) u = -u;  // a surface that is seen from both sides
        float bright = mix(1.0, 0.42 + 0.5 * max(dot(u, light), 0.0) + 0.14 * max(-dot(u, light), 0.0), min(lit, 1.0));
        float gloss = min(lit, 1.0) * 0.18 * pow(max(dot(u, light), 0.0), 24.0);
        gl_FragColor = vec4(own * bright + gloss, opacity);
      }`));
    ["point", "normal", "tint"].forEach((name, k) => gl.bindAttribLocation(program, k, name));
    gl.linkProgram(program);
    gl.useProgram(program);
    const place = Object.fromEntries(["whole", "turn", "opacity", "light", "lit"].map(
      (name) => [name, gl.getUniformLocation(program, name)]));
    const POINT = 0, NORMAL = 1, TINT = 2;
    const filled = (data, kind = gl.ARRAY_BUFFER) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(kind, buffer);
      gl.bufferData(kind, data, gl.STATIC_DRAW);
      return buffer;
    };
    const refilled = (buffer, data) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    };
    const attribute = (place, buffer) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    };
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    return {
      name: "WebGL",
      load({ nodes, triangles, edges, scale }) {
        if (triangles.length) {
          const { points, normals } = corners(nodes, triangles, scale);
          for (let k = 0; k < normals.length; k += 3)  // the matrix of the part will scale them once more
            for (let j = 0; j < 3; j++) normals[k + j] *= scale[j];
          return { points: filled(points), normals: filled(normals), count: points.length / 3, mode: gl.TRIANGLES };
        }
        const points = new Float32Array(3 * edges.length);
        edges.forEach((i, k) => points.set(nodes.subarray(3 * i, 3 * i + 3), 3 * k));
        return { points: filled(points), normals: filled(points), count: edges.length, mode: gl.LINES };
      },
      loadSurface(triangles) {
        const [points, normals, tints] = [0, 0, 0].map(() => filled(new Float32Array(3)));
        return { points, normals, tints, index: filled(triangles, gl.ELEMENT_ARRAY_BUFFER), count: triangles.length,
          mode: gl.TRIANGLES };
      },
      form(handle, { nodes, normals, tints }) {
        refilled(handle.points, nodes);
        refilled(handle.normals, normals);
        handle.tinted = Boolean(tints);
        if (tints) refilled(handle.tints, tints);
      },
      draw(items, camera) {
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(...rgb(camera.paper), 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.uniform3fv(place.light, unit(plus(plus(camera.towards, camera.up, 0.45), camera.right, -0.25)));
        const order = [...items].sort((a, b) => b.opacity - a.opacity);
        for (const { handle, matrix, colour, opacity } of order) {
          gl.depthMask(opacity === 1);
          gl.uniformMatrix4fv(place.whole, false, product(camera.matrix, matrix));
          gl.uniformMatrix3fv(place.turn, false, normalMatrix(matrix));
          gl.uniform1f(place.opacity, opacity);
          gl.uniform1f(place.lit, handle.mode === gl.LINES ? 0 : handle.index ? 2 : 1);
          attribute(POINT, handle.points);
          attribute(NORMAL, handle.normals);
          if (handle.tinted) attribute(TINT, handle.tints);
          else {
            gl.disableVertexAttribArray(TINT);
            gl.vertexAttrib3f(TINT, ...colour);
          }
          if (!handle.index) { gl.drawArrays(handle.mode, 0, handle.count); continue; }
          gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, handle.index);
          gl.drawElements(handle.mode, handle.count, gl.UNSIGNED_SHORT, 0);
        }
        gl.depthMask(true);
      },
    };
  }

  function canvasRenderer(canvas, most) {
    const pen = canvas.getContext("2d");
    return {
      name: "canvas",
      load: (mesh) => (mesh.triangles.length ? { ...mesh, ...finer(mesh, most) } : mesh),
      loadSurface: (triangles) => ({ triangles, edges: [], both: true, nodes: new Float32Array(0) }),
      form(handle, { nodes, tints }) { Object.assign(handle, { nodes, tints }); },
      draw(items, camera) {
        const w = canvas.width, h = canvas.height, faces = [];
        const light = unit(plus(plus(camera.towards, camera.up, 0.45), camera.right, -0.25));
        pen.fillStyle = camera.paper;
        pen.fillRect(0, 0, w, h);
        for (const { handle, matrix, colour, opacity } of items) {
          const { nodes, triangles, edges, both, tints } = handle, world = [], seen = [];
          for (let k = 0; k < nodes.length; k += 3) {
            const p = moved(matrix, nodes.subarray(k, k + 3)), s = camera.project(p);
            world.push(p);
            seen.push([(s[0] + 1) / 2 * w, (1 - s[1]) / 2 * h, s[2]]);
          }
          const sets = triangles.length ? triangles : edges, size = triangles.length ? 3 : 2;
          for (let k = 0; k < sets.length; k += size) {
            const own = Array.from(sets.subarray(k, k + size));
            if (own.some((i) => seen[i][2] <= 0)) continue;  // behind the eye
            let bright = 1, shade = colour;
            if (size === 3) {
              const [a, b, c] = own.map((i) => world[i]), n = unit(cross(sub(b, a), sub(c, a)));
              if (!both && dot(n, sub(camera.eye, a)) < 0) continue;
              bright = 0.42 + 0.55 * (both ? Math.abs(dot(n, light)) : Math.max(0, dot(n, light)));
              if (tints) shade = [0, 1, 2].map((j) => own.reduce((sum, i) => sum + tints[3 * i + j] / 3, 0));
            }
            const depth = own.reduce((sum, i) => sum + seen[i][2], 0) / size + (size === 2 ? camera.distance : 0);
            const fill = `rgba(${shade.map((c) => Math.round(255 * Math.min(1, c * bright))).join()},${opacity})`;
            faces.push([depth, own.map((i) => seen[i]), fill]);
          }
        }
        faces.sort((a, b) => b[0] - a[0]);
        pen.lineWidth = 1;
        pen.lineJoin = "round";
        for (const [, points, fill] of faces) {
          pen.fillStyle = pen.strokeStyle = fill;
          pen.beginPath();
          points.forEach((p) => pen.lineTo(p[0], p[1]));
          if (points.length === 3) {
            pen.closePath();
            pen.fill();
          }
          pen.stroke();
        }
      },
    };
  }

  // -- 3. plots ------------------------------------------------------------------------------------------------

  // Curves of one unit over time, with a cursor; `seek(t)` is called where one presses.
  function plotPane(parent, group, times, seek, theme) {
    const canvas = element("canvas", "easydyn-plot", parent);
    const pen = canvas.getContext("2d"), still = document.createElement("canvas");
    let low = Infinity, high = -Infinity;
    for (const { drawn } of group.curves)
      for (const x of drawn) if (Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
    if (!(low <= high)) [low, high] = [-1, 1];
    const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    const words = group.curves.map(({ name, drawn }) => {
      const finite = Array.from(drawn).filter(Number.isFinite);
      return `${name} from ${shown(Math.min(...finite))} to ${shown(Math.max(...finite))}`;
    });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Plot against time${group.unit ? ` in ${group.unit}` : ""}: ${words.join("; ")}`);
    low -= pad;
    high += pad;
    const start = times[0], end = times[times.length - 1];
    let w = 0, h = 0, ratio = 1;
    const left = 52, bottom = 34, right = 10;
    let top = 22, keys = [];  // where the words of the legend stand
    const x = (t) => left + (t - start) / (end - start || 1) * (w - left - right);
    const y = (v) => h - bottom - (v - low) / (high - low) * (h - top - bottom);
    const other = (k) => group.curves.find(({ of }) => of === k);  // the same of a second run: behind it, in brackets
    const unit = group.unit ? ` ${group.unit}` : "";
    function legend() {
      pen.font = "12px system-ui, sans-serif";
      let place = left, row = 10;
      keys = group.curves.map(({ name, of }, k) => {
        if (of !== undefined) return null;
        const size = 40 + pen.measureText(`${name} = −0.000e-00${other(k) ? " (−0.000e-00)" : ""}${unit}`).width;
        if (place > left && place + size > w) [place, row] = [left, row + 16];
        place += size;
        return [place - size, row];
      });
      top = row + 12;
    }
    function drawStill() {
      legend();
      still.width = canvas.width;
      still.height = canvas.height;
      const p = still.getContext("2d");
      p.setTransform(ratio, 0, 0, ratio, 0, 0);
      p.fillStyle = theme.paper;
      p.fillRect(0, 0, w, h);
      p.font = "11px system-ui, sans-serif";
      p.strokeStyle = theme.grid;
      p.fillStyle = theme.soft;
      p.lineWidth = 1;
      p.textAlign = "right";
      p.textBaseline = "middle";
      for (const v of ticks(low, high, Math.max(2, h / 45))) {
        p.beginPath(); p.moveTo(left, y(v)); p.lineTo(w - right, y(v)); p.stroke();
        p.fillText(shown(v, 3), left - 5, y(v));
      }
      p.textAlign = "center";
      p.textBaseline = "top";
      for (const t of ticks(start, end, Math.max(2, w / 90))) {
        p.beginPath(); p.moveTo(x(t), top); p.lineTo(x(t), h - bottom); p.stroke();
        p.fillText(shown(t, 3), x(t), h - bottom + 4);
      }
      p.fillText("t [s]", (left + w - right) / 2, h - 14);
      p.save();
      p.beginPath(); p.rect(left, top - 4, w - left - right, h - top - bottom + 8); p.clip();
      p.lineWidth = 1.8;
      group.curves.forEach(({ drawn, when, of }, n) => {
        const k = of ?? n;
        p.globalAlpha = of === undefined ? 1 : PALE;
        p.strokeStyle = theme.curves[k % theme.curves.length];
        p.setLineDash(DASHES[k % DASHES.length]);
        p.beginPath();
        let open = false;
        drawn.forEach((v, i) => {
          if (!Number.isFinite(v)) { open = false; return; }
          open ? p.lineTo(x(when[i]), y(v)) : p.moveTo(x(when[i]), y(v));
          open = true;
        });
        p.stroke();
      });
      p.restore();
    }
    function draw(t, at) {
      if (!w) return;
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.drawImage(still, 0, 0);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(x(t), top); pen.lineTo(x(t), h - bottom); pen.stroke();
      pen.font = "12px system-ui, sans-serif";
      pen.textBaseline = "middle";
      pen.textAlign = "left";
      group.curves.forEach(({ name, values, of }, n) => {
        const k = of ?? n;
        pen.globalAlpha = of === undefined ? 1 : PALE;
        const v = at(values), second = other(n);
        const text = `${name} = ${shown(v, 3)}${second ? ` (${shown(at(second.values), 3)})` : ""}${unit}`;
        pen.strokeStyle = pen.fillStyle = theme.curves[k % theme.curves.length];
        if (Number.isFinite(v)) { pen.beginPath(); pen.arc(x(t), y(v), 3.5, 0, 7); pen.fill(); }
        pen.globalAlpha = 1;
        if (!keys[n]) return;
        pen.lineWidth = 2.5;
        pen.setLineDash(DASHES[k % DASHES.length]);
        const [across, row] = keys[n];
        pen.beginPath(); pen.moveTo(across, row); pen.lineTo(across + 20, row); pen.stroke();
        pen.setLineDash([]);
        pen.fillStyle = theme.ink;
        pen.fillText(text, across + 24, row);
      });
    }
    const press = (event) => {
      if (!event.buttons) return;
      const s = (event.clientX - canvas.getBoundingClientRect().left - left) / (w - left - right);
      seek(start + Math.min(1, Math.max(0, s)) * (end - start));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); press(event); });
    canvas.addEventListener("pointermove", press);
    return {
      draw,
      resize(dpr) {
        w = canvas.getBoundingClientRect().width;
        legend();
        canvas.style.minHeight = `${Math.max(110, top + bottom + 66)}px`;
        [h, ratio] = [canvas.getBoundingClientRect().height, dpr];
        canvas.width = Math.max(1, Math.round(w * dpr));
        canvas.height = Math.max(1, Math.round(h * dpr));
        drawStill();
      },
    };
  }

  function element(tag, kind, parent, settings = {}) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    for (const [name, value] of Object.entries(settings))
      name === "text" ? (made.textContent = value) : made.setAttribute(name, value);
    if (parent) parent.appendChild(made);
    return made;
  }

  // -- 4. the player -------------------------------------------------------------------------------------------

  const KEYS = [
    ["Space", "play, pause"], ["← →", "one frame back, on (with Shift: ten)"], ["Home End", "first, last frame"],
    ["[ ]", "slower, faster"], ["L", "again and again, or once"], ["A D W S", "turn the view left, right, up, down"],
    ["+ −", "nearer, farther"], ["4 6 8 2", "shift the picture left, right, up, down"], ["0", "view as at the start"],
    ["F", "go along with the next body, or stay"], ["C", "centres of mass"], ["N", "names of bodies"],
    ["T", "paths of points"], ["X Y Z", "look along an axis of the ground"],
    ["B", "numbers of the next body, or of none (a click on a body does it, too)"],
    ["M", "stroboscope: where the bodies have been"], ["G", "the other run, pale"],
    ["V", "full screen, and back"], ["R", "record a film of the run, or end it"], ["?", "these keys"],
  ];
  const ALL_SPEEDS = [];
  for (let power = -6; power <= 4; power++) for (const k of [1, 2, 5]) ALL_SPEEDS.push(+`${k}e${power}`);
  const FLASHES = 10;  // earlier places that a stroboscope shows

  function player(root, data) {
    const frames = data.frames.length, motion = data.motion, explore = data.program;
    const count = motion ? motion.count : 1;
    const times = Float64Array.from({ length: count }, (_, k) => motion ? motion.start + k * motion.step : 0);
    const poses = motion && decoded(motion.poses, Int16Array), tips = motion && decoded(motion.tips, Float32Array);
    const many = motion ? motion.low.length : 0;  // frames that move: all but the ground
    const program = explore && compiled(explore);
    const state = {
      at: 0, playing: false, loop: true, speed: data.speed || 1, centres: true, names: false, paths: true,
      follow: data.view.follow, lost: false, drawn: 0, flashes: false, ghost: true, picked: 0, recording: false,
      off: {},
    };
    const SPEEDS = ALL_SPEEDS.filter((s) => s >= Math.min(0.01, state.speed) && s <= Math.max(100, state.speed));
    const values = explore && { t: explore.time, q: Float64Array.from(explore.q), qd: Float64Array.from(explore.qd) };

    // light or dark, calm or not: as the reader has set it
    const window = root.ownerDocument.defaultView, asks = (what) => window.matchMedia(what);
    const calm = asks("(prefers-reduced-motion: reduce)"), night = asks("(prefers-color-scheme: dark)");
    const theme = {};
    function setTheme() {
      const dark = night.matches, [paper, ink, soft, grid] = dark
        ? ["#1b1b1b", "#f2f2f2", "#c8c8c8", "#3a3a3a"] : ["#ffffff", "#1a1a1a", "#404040", "#e0e0e0"];
      Object.assign(theme, { dark, paper, ink, soft, grid, curves: COLOURS[dark ? "dark" : "light"] });
    }
    setTheme();
    state.loop = !calm.matches;

    // elements
    root.classList.add("easydyn");
    root.tabIndex = 0;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", `${data.title}: ${motion ? "animation" : "picture"}. Press ? for the keys.`);
    const main = element("div", "easydyn-main", root), stage = element("div", "easydyn-stage", main);
    const bodies = data.frames.filter((f) => f.body).map((f) => f.name);
    let picture = element("canvas", "easydyn-picture", stage, { "aria-hidden": "true" });
    const overlay = element("canvas", "easydyn-overlay", stage, { role: "img" });
    function describe() {  // the picture in words: what it shows, and when
      const when = motion && count > 1 ? `${state.playing ? ", playing from" : " at"} t = ${shown(time())} s` : "";
      const what = bodies.length ? `: ${bodies.join(", ")}` : "";
      overlay.setAttribute("aria-label", `Picture in space of ${data.title}${when}${what}.`);
    }
    const side = element("div", "easydyn-side", main);
    const bar = element("div", "easydyn-bar", root, { role: "toolbar", "aria-label": "Controls" });
    const status = element("div", "easydyn-status", root, { "aria-live": "polite" });
    if (data.note) element("div", "easydyn-note", root, { text: data.note });
    const about = element("dl", "easydyn-about", stage);
    about.hidden = true;
    const help = element("dl", "easydyn-help", stage);
    help.hidden = true;
    for (const [keys, what] of KEYS) {
      element("dt", "", help, { text: keys });
      element("dd", "", help, { text: what });
    }
    element("dt", "", help, { text: "Mouse" });
    element("dd", "", help, { text: "drag: turn; Shift or right button: shift; wheel, after a click: zoom; two fingers: both" });

    let renderer = null;
    if (data.renderer !== "canvas") try { renderer = webglRenderer(picture); } catch { renderer = null; }
    if (!renderer) plainCanvas();
    function plainCanvas() {  // what has been drawn upon by WebGL cannot be drawn upon in another way
      const fresh = element("canvas", "easydyn-picture", null, { "aria-hidden": "true" });
      [fresh.width, fresh.height] = [picture.width, picture.height];
      picture.replaceWith(fresh);
      picture = fresh;
      renderer = canvasRenderer(picture, Math.max(...data.view.size) / 20);
    }
    const pen = overlay.getContext("2d");

    // parts
    const parts = data.parts.map((part) => ({ ...part, rgb: rgb(part.colour) }));
    const colourOf = (part) => (theme.dark ? inDark(part.rgb) : part.rgb);
    function load() {
      for (const part of parts) if (part.mesh !== undefined) {
        const mesh = data.meshes[part.mesh], wide = mesh.wide ? Uint32Array : Uint16Array;
        part.handle = renderer.load({
          nodes: nodesOf(mesh), triangles: decoded(mesh.triangles, wide), edges: decoded(mesh.edges, wide),
          scale: part.scale,
        });
        part.place = placed(part.scale, part.offset);
        part.nodes = nodesOf(mesh);
        part.triangles = decoded(mesh.triangles, wide);
      } else if (part.kind === "surface") {
        part.triangles = decoded(data.parts[parts.indexOf(part)].triangles, Uint16Array);
        part.handle = renderer.loadSurface(part.triangles);
        part.place = placed([1, 1, 1], [0, 0, 0]);
        part.formed = null;
      }
    }
    for (const part of parts) if (part.kind === "surface") {
      part.at = decoded(part.places, Float32Array);
      part.formula = compiled(part.program);
      if (part.legend) part.legend = { ...part.legend, stops: part.legend.colours.map(rgb) };
    }
    load();
    function form(part) {  // where the nodes of a surface are now, and which colours they have
      const signals = part.tips.flatMap((k) => Array.from(vectors[k] || [0, 0, 0])), key = signals.join();
      if (part.formed === key) return;
      part.formed = key;
      const count = part.at.length / part.width, nodes = new Float32Array(3 * count);
      const tints = part.legend && new Float32Array(3 * count);
      for (let k = 0; k < count; k++) {
        const q = part.at.subarray(part.width * k, part.width * (k + 1)), found = part.formula({ t: 0, q, qd: signals });
        nodes.set(found.slice(0, 3), 3 * k);
        if (tints) tints.set(tintOf(found[3], part.legend), 3 * k);
      }
      part.nodes = nodes;
      renderer.form(part.handle, { nodes, normals: normalsOf(nodes, part.triangles), tints });
    }
    picture.addEventListener("webglcontextlost", () => {  // browsers take it away where a page has many of them
      plainCanvas();
      load();
      refresh();
    });

    // where the frames are
    const identity = matrixOfPose([1, 0, 0, 0], [0, 0, 0]);
    let where = new Array(frames).fill(identity), vectors = [];
    function framesAt(at) {
      const k = Math.min(Math.floor(at), count - 1), next = Math.min(k + 1, count - 1), s = at - k;
      const found = [identity];
      for (let i = 0; i < many; i++) {
        const a = 7 * (k * many + i), b = 7 * (next * many + i), e = [], x = [];
        for (let j = 0; j < 4; j++) e.push(poses[a + j] + s * (poses[b + j] - poses[a + j]));
        for (let j = 0; j < 3; j++) {
          const whole = poses[a + 4 + j] + s * (poses[b + 4 + j] - poses[a + 4 + j]);
          x.push(motion.low[i][j] + (whole + 32767) / 65534 * motion.span[i][j]);
        }
        found.push(matrixOfPose(e, x));
      }
      return found;
    }
    function locate() {
      if (motion) {
        where = framesAt(state.at);
        const k = Math.min(Math.floor(state.at), count - 1), next = Math.min(k + 1, count - 1), s = state.at - k;
        const n = motion.arrows, at = (row, j) => 3 * (row * n + j);
        vectors = Array.from({ length: n }, (_, j) => [0, 1, 2].map((i) => {
          const a = tips[at(k, j) + i];
          return a + s * (tips[at(next, j) + i] - a);
        }));
        return;
      }
      if (!explore) return;
      const found = program(values);
      const size = 12 * (frames - 1);
      state.lost = !found.every(Number.isFinite);
      if (state.lost) return;  // the last place where it could be assembled stays
      where = [identity, ...Array.from({ length: frames - 1 }, (_, i) => matrixOfRows(found, 12 * i))];
      vectors = Array.from({ length: (found.length - size) / 3 }, (_, j) => found.slice(size + 3 * j, size + 3 * j + 3));
    }
    function endOf({ frame, point, tip, axes, scale }) {
      const p = moved(where[frame], point);
      if (tip === undefined) return p;
      const v = vectors[tip] || [0, 0, 0], m = where[axes];
      return plus(p, sub(moved(m, v), moved(m, [0, 0, 0])), scale);
    }
    const flashes = [];  // places of all frames at instants of equal distances
    function flashed() {
      if (!flashes.length) for (let j = 0; j <= FLASHES; j++) {
        const at = j * (count - 1) / FLASHES;
        flashes.push({ at, where: framesAt(at) });
      }
      return flashes.filter(({ at }) => at < state.at - 0.5);
    }
    const paths = parts.filter((part) => part.kind === "path").map((part) => ({ ...part, points: [] }));
    if (motion) for (let k = 0; k < count && paths.length; k++) {
      const found = framesAt(k);
      for (const path of paths) path.points.push(moved(found[path.frame], path.point));
    }

    // camera
    const ANGLE = Math.PI / 7, up = unit(data.view.up);
    const first = across(up), second = cross(up, first), towards = unit(data.view.towards);
    const home = {
      azimuth: Math.atan2(dot(towards, second), dot(towards, first)), elevation: Math.asin(dot(towards, up)),
      zoom: 1, pan: [0, 0, 0],
    };
    let view = { ...home };
    let width = 1, height = 1, ratio = 1;
    function cameraNow() {
      const c = Math.cos(view.elevation);
      const direction = plus(plus(first.map((x) => x * c * Math.cos(view.azimuth)), second, c * Math.sin(view.azimuth)),
        up, Math.sin(view.elevation));
      let target = plus(data.view.target, view.pan);
      if (state.follow > 0) target = plus(target, sub(moved(where[state.follow], [0, 0, 0]), data.view.start[state.follow]));
      const aspect = width / height, size = Math.max(data.view.size[1], data.view.size[0] / aspect);
      const distance = view.zoom * size / 2 / Math.tan(ANGLE / 2) + Math.min(...data.view.size) / 4;
      const eye = plus(target, direction, distance);
      const matrix = product(perspective(ANGLE, aspect, distance / 50, distance * 20), lookAt(eye, target, up));
      const right = unit(cross(up, direction));
      const project = (p) => {
        const m = matrix, d = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15], q = moved(m, p);
        return [q[0] / d, q[1] / d, d];
      };
      return { matrix, eye, towards: direction, up: cross(direction, right), right, distance, project, paper: theme.paper };
    }

    // drawing
    function drawOverlay(camera) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      const seen = (p) => { const s = camera.project(p); return [(s[0] + 1) / 2 * width, (1 - s[1]) / 2 * height]; };
      if (state.paths) for (const path of paths) {
        if (path.ghost && !state.ghost) continue;
        pen.globalAlpha = path.ghost ? PALE : 1;
        pen.strokeStyle = `rgb(${colourOf(path).map((c) => Math.round(255 * c)).join()})`;
        pen.lineWidth = 2;
        pen.beginPath();
        for (let k = 0; k <= Math.floor(state.at) && k < path.points.length; k++) pen.lineTo(...seen(path.points[k]));
        if (motion) pen.lineTo(...seen(moved(where[path.frame], path.point)));
        pen.stroke();
      }
      pen.globalAlpha = 1;
      if (state.picked) {  // a ring about what is looked at
        pen.strokeStyle = theme.curves[1];
        pen.lineWidth = 3;
        pen.beginPath(); pen.arc(...seen(moved(where[state.picked], centreOf(state.picked))), 12, 0, 7); pen.stroke();
      }
      pen.font = "13px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      const write = (text, [x, y]) => {
        pen.lineWidth = 3;
        pen.strokeStyle = theme.paper;
        pen.strokeText(text, x, y);
        pen.fillStyle = theme.ink;
        pen.fillText(text, x, y);
      };
      for (const part of parts) {
        if (part.kind === "text") write(part.text, seen(moved(where[part.frame], part.point)));
        if (part.kind !== "centre") continue;
        const [x, y] = seen(moved(where[part.frame], part.point));
        if (state.centres) {  // the sign of a centre of mass: a disc in four quarters
          for (let k = 0; k < 4; k++) {
            pen.fillStyle = k % 2 ? "#ffffff" : "#1a1a1a";
            pen.beginPath(); pen.moveTo(x, y); pen.arc(x, y, 4, k * Math.PI / 2, (k + 1) * Math.PI / 2); pen.fill();
          }
          pen.lineWidth = 1;
          pen.strokeStyle = "#1a1a1a";
          pen.beginPath(); pen.arc(x, y, 4, 0, 7); pen.stroke();
        }
        if (state.names) write(part.text, [x, y - 16]);
      }
      drawScales();
      const corner = [34, height - 34];  // the axes of the ground
      [["x", "#d55e00"], ["y", "#009e73"], ["z", theme.curves[0]]].forEach(([name, colour], j) => {
        const axis = [0, 0, 0];
        axis[j] = 1;
        const tip = [corner[0] + 24 * dot(axis, camera.right), corner[1] - 24 * dot(axis, camera.up)];
        pen.strokeStyle = colour;
        pen.lineWidth = 2;
        pen.beginPath(); pen.moveTo(...corner); pen.lineTo(...tip); pen.stroke();
        pen.font = "11px system-ui, sans-serif";
        write(name, [tip[0] + 8 * dot(axis, camera.right), tip[1] - 8 * dot(axis, camera.up)]);
      });
    }
    const scales = new Map();  // what the colours of surfaces say, each once
    for (const { legend } of parts) if (legend) scales.set(`${legend.label} ${legend.unit} ${legend.limits}`, legend);
    function drawScales() {
      let right = width - 14;
      for (const { label, unit, limits, stops } of scales.values()) {
        const long = Math.min(160, 0.45 * height), top = (height - long) / 2, fill = pen.createLinearGradient(0, top + long, 0, top);
        stops.forEach((c, k) => fill.addColorStop(k / (stops.length - 1), `rgb(${c.map((x) => Math.round(255 * x)).join()})`));
        pen.font = "12px system-ui, sans-serif";
        const words = [shown(limits[1], 3), shown(limits[0], 3)], title = unit ? `${label} [${unit}]` : label;
        pen.fillStyle = fill;
        pen.fillRect(right - 12, top, 12, long);
        pen.textAlign = "right";
        pen.strokeStyle = theme.paper;
        pen.lineWidth = 3;
        [[words[0], right - 16, top + 6], [words[1], right - 16, top + long - 6], [title, right, top - 12]].forEach((place) => {
          pen.strokeText(...place);
          pen.fillStyle = theme.ink;
          pen.fillText(...place);
        });
        right -= 24 + Math.max(pen.measureText(title).width, 12 + Math.max(...words.map((w) => pen.measureText(w).width)));
      }
      pen.textAlign = "center";
    }
    function draw() {
      locate();
      const camera = cameraNow(), items = [];
      const put = (part, opacity) => {
        const base = part.kind === "between" ? between(...part.ends.map(endOf)) : where[part.frame];
        items.push({ handle: part.handle, matrix: product(base, part.place), colour: colourOf(part), opacity });
      };
      if (state.flashes && motion) {
        const now = where;
        for (const { where: then } of flashed()) {
          where = then;
          for (const part of parts) if (part.handle && !part.ghost && moves(part)) put(part, 0.25 * part.opacity);
        }
        where = now;
      }
      for (const part of parts) if (part.handle && (!part.ghost || state.ghost) && !state.off[part.layer]) {
        if (part.kind === "surface") form(part);
        put(part, part.opacity);
      }
      renderer.draw(items, camera);
      drawOverlay(camera);
      const t = time();
      for (const pane of panes) pane.draw(t, valueOf);
      if (state.picked) showPicked();
      if (film) film.take();
      state.drawn++;
    }
    const moves = (part) => (part.kind === "surface" ? false : part.kind === "between" ? part.ends.every((end) => end.tip === undefined) : part.frame > 0);

    // numbers of a body
    function centreOf(k) {
      const centre = parts.find((part) => part.kind === "centre" && part.frame === k);
      return centre ? centre.point : [0, 0, 0];
    }
    function numbersOf(k) {  // place and speed of its centre of mass, and how fast it turns
      const place = moved(where[k], centreOf(k)), found = [["place", `(${place.map((x) => shown(x, 3)).join(", ")}) m`]];
      if (!motion || count < 2) return found;
      const low = Math.max(0, state.at - 0.5), high = Math.min(count - 1, low + 1), dt = (high - low) * motion.step;
      const a = framesAt(low)[k], b = framesAt(high)[k];
      const speed = norm(sub(moved(b, centreOf(k)), moved(a, centreOf(k)))) / dt;
      let trace = 0;
      for (const [i, j] of [[0, 0], [1, 1], [2, 2]]) for (let l = 0; l < 3; l++) trace += a[4 * l + i] * b[4 * l + j];
      const angle = Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2)));
      return [...found, ["speed", `${shown(speed, 3)} m/s`], ["turns at", `${shown(angle < 2e-3 ? 0 : angle / dt, 3)} rad/s`]];
    }
    function showPicked() {
      about.replaceChildren();
      for (const [what, value] of [["body", data.frames[state.picked].name], ...numbersOf(state.picked)]) {
        element("dt", "", about, { text: what });
        element("dd", "", about, { text: value });
      }
    }
    function pick(k) {
      state.picked = k;
      about.hidden = !k;
      if (k) tell([["body", data.frames[k].name], ...numbersOf(k)].map((pair) => pair.join(" ")).join(", "));
      if (k) showPicked();
      refresh();
    }
    function pickNext() {
      const own = data.frames.map((f, i) => (f.body ? i : 0)).filter(Boolean);
      pick(own[own.indexOf(state.picked) + 1] || 0);
    }
    function bodyAt(x, y) {  // of what lies under a place on the picture, the nearest to the eye
      const camera = cameraNow();
      let best = 0, least = Infinity;
      for (const part of parts) {
        if (!part.handle || part.ghost || !data.frames[part.frame].body || part.kind === "between") continue;
        const m = product(where[part.frame], part.place), flat = [];
        for (let k = 0; k < part.nodes.length; k += 3) {
          const s = camera.project(moved(m, [part.nodes[k], part.nodes[k + 1], part.nodes[k + 2]]));
          flat.push([(s[0] + 1) / 2 * width, (1 - s[1]) / 2 * height, s[2]]);
        }
        for (let k = 0; k < part.triangles.length; k += 3) {
          const [a, b, c] = [0, 1, 2].map((j) => flat[part.triangles[k + j]]);
          const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
          const u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area;
          const v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area;
          if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
          const depth = u * a[2] + v * b[2] + (1 - u - v) * c[2];
          if (depth > 0 && depth < least) [best, least] = [part.frame, depth];
        }
      }
      return best;
    }

    // films: the picture from the beginning to the end, at the speed that is set
    let film = null;
    function record() {
      if (film) { film.end(); return; }
      const sheet = document.createElement("canvas"), ink = sheet.getContext("2d"), pieces = [];
      [sheet.width, sheet.height] = [picture.width, picture.height];
      const kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((x) => MediaRecorder.isTypeSupported(x));
      const recorder = new MediaRecorder(sheet.captureStream(30), kind ? { mimeType: kind, videoBitsPerSecond: 8e6 } : {});
      recorder.ondataavailable = (event) => { if (event.data.size) pieces.push(event.data); };
      recorder.onstop = () => {
        const blob = new Blob(pieces, { type: recorder.mimeType }), link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `${data.title}.${recorder.mimeType.includes("mp4") ? "mp4" : "webm"}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        state.recorded = blob.size;
        tell(`recorded: ${link.download}`);
      };
      const looped = state.loop;
      film = {
        take() {
          ink.fillStyle = theme.paper;
          ink.fillRect(0, 0, sheet.width, sheet.height);
          ink.drawImage(picture, 0, 0);
          ink.drawImage(overlay, 0, 0);
        },
        end() {
          film = null;
          state.loop = looped;
          state.recording = false;
          controls.record.setAttribute("aria-pressed", "false");
          if (state.playing) pause();
          recorder.stop();
        },
      };
      state.loop = false;
      state.recording = true;
      controls.record.setAttribute("aria-pressed", "true");
      recorder.start();
      state.at = 0;
      play();
    }
    const wide = () => root.ownerDocument.fullscreenElement === root;
    function fill() {
      const done = wide() ? root.ownerDocument.exitFullscreen() : root.requestFullscreen();
      done.catch(() => tell("full screen is not allowed here"));
    }
    function lookAlong(j) {
      const axis = [0, 0, 0];
      axis[j] = 1;
      view.azimuth = Math.abs(dot(axis, up)) > 0.99 ? home.azimuth : Math.atan2(dot(axis, second), dot(axis, first));
      view.elevation = Math.min(1.55, Math.max(-1.55, Math.asin(Math.min(1, Math.max(-1, dot(axis, up))))));
      refresh();
    }
    let asked = false;
    function refresh() {
      if (asked) return;
      asked = true;
      requestAnimationFrame((now) => {
        asked = false;
        if (state.playing) advance(now);
        draw();
        if (state.playing) refresh();
      });
    }
    let last = null, told = 0;
    function advance(now) {
      const gone = last === null ? 0 : Math.min((now - last) / 1000, 0.25);
      last = now;
      let at = state.at + gone * state.speed / (motion.step || 1);
      if (at >= count - 1) {
        if (state.loop && count > 1) at %= count - 1;
        else { at = count - 1; pause(); }
      }
      state.at = at;
      showTime();
      if (now - told > 200 && state.playing) {
        told = now;
        status.textContent = numbersNow();
      }
      if (film && !state.playing) setTimeout(() => film && film.end(), 200);  // after the last picture
    }
    const time = () => motion ? motion.start + state.at * motion.step : explore ? values.t : 0;
    function valueOf(numbers) {
      const k = Math.floor(state.at), s = state.at - k;
      return s ? numbers[k] + s * (numbers[k + 1] - numbers[k]) : numbers[k];
    }

    // controls
    const controls = {};
    function button(name, text, label, act) {
      const made = controls[name] = element("button", "", bar, { type: "button", title: label, "aria-label": label, text });
      made.addEventListener("click", act);
      return made;
    }
    function play() {
      if (!motion || count < 2 || state.playing) return;
      if (state.at >= count - 1) state.at = 0;
      state.playing = true;
      last = null;
      status.setAttribute("aria-live", "off");  // what changes all the time is not read out
      showPlaying();
      describe();
      refresh();
    }
    function pause() {
      state.playing = false;
      status.setAttribute("aria-live", "polite");
      showPlaying();
      tell();
    }
    function go(at) {
      state.at = Math.min(count - 1, Math.max(0, at));
      showTime();
      if (!state.playing) tell();
      refresh();
    }
    function step(by) {
      pause();
      go((by < 0 ? Math.ceil(state.at - 1e-9) : Math.floor(state.at + 1e-9)) + by);
    }
    function setSpeed(k) {
      const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, k))];
      state.speed = next;
      controls.speed.value = String(next);
      tell();
    }
    const speedIndex = () => SPEEDS.findIndex((s) => s >= state.speed * 0.999);
    function toggle(name) {
      state[name] = !state[name];
      if (controls[name]) controls[name].setAttribute("aria-pressed", String(state[name]));
      refresh();
    }
    function toggleHelp() {
      help.hidden = !help.hidden;
      controls.help.setAttribute("aria-expanded", String(!help.hidden));
    }
    function nextToFollow() {
      const own = data.frames.map((f, i) => (f.body ? i : 0)).filter(Boolean);
      const k = own.indexOf(state.follow) + 1;
      state.follow = k < own.length ? own[k] : 0;
      tell(state.follow ? `going along with ${data.frames[state.follow].name}` : "the camera stays");
      refresh();
    }
    function showTime() {
      if (!controls.scrub) return;
      controls.scrub.value = String(Math.round(state.at));
      controls.scrub.setAttribute("aria-valuetext", `${shown(time())} s`);
      controls.time.textContent = `${time().toFixed(data.digits)} s`;
    }
    function showPlaying() {
      if (!controls.play) return;
      controls.play.textContent = state.playing ? "❚❚" : "►";
      for (const name of ["aria-label", "title"]) controls.play.setAttribute(name, state.playing ? "Pause" : "Play");
    }
    function numbersNow() {
      const numbers = data.plots.flatMap((g) => g.curves.filter((c) => c.of === undefined)
        .map((c) => `${c.name} = ${shown(valueOf(c.values), 4)} ${g.unit}`.trim()));
      return [`t = ${shown(time())} s`, ...numbers.slice(0, 6), state.speed === 1 ? "" : `speed ${state.speed}`]
        .filter(Boolean).join(", ");
    }
    function tell(text) {
      if (text === undefined && motion) text = numbersNow();
      status.textContent = text || "";
      describe();
    }

    // plots and sliders
    for (const group of data.plots) for (const curve of group.curves) {  // values at the pictures, and all that is drawn
      curve.values = decoded(curve.numbers, Float32Array);
      curve.drawn = curve.drawn ? decoded(curve.drawn, Float32Array) : curve.values;
      curve.when = curve.times ? Float64Array.from(decoded(curve.times, Float32Array), (s) => motion.start + s) : times;
    }
    const seek = (t) => go((t - motion.start) / (motion.step || 1));
    const panes = data.plots.map((group) => plotPane(side, group, times, seek, theme));
    if (motion && count > 1) {
      button("first", "|◂", "First frame", () => { pause(); go(0); });
      button("back", "◂", "One frame back", () => step(-1));
      button("play", "►", "Play", () => (state.playing ? pause() : play()));
      button("on", "▸", "One frame on", () => step(1));
      button("last", "▸|", "Last frame", () => { pause(); go(count - 1); });
      const scrub = controls.scrub = element("input", "easydyn-scrub", bar, {
        type: "range", min: 0, max: count - 1, step: 1, value: 0, "aria-label": "Time",
      });
      scrub.addEventListener("input", () => go(+scrub.value));
      controls.time = element("span", "easydyn-time", bar);
      const speed = controls.speed = element("select", "", bar, { "aria-label": "Speed" });
      if (!SPEEDS.includes(state.speed)) state.speed = SPEEDS[Math.max(0, speedIndex())];
      for (const s of SPEEDS) element("option", "", speed, { value: s, text: `× ${s}` });
      speed.value = String(state.speed);
      speed.addEventListener("change", () => setSpeed(SPEEDS.indexOf(+speed.value)));
      button("loop", "⟳", "Again and again", () => toggle("loop")).setAttribute("aria-pressed", String(state.loop));
    }
    button("centres", "◔", "Centres of mass", () => toggle("centres")).setAttribute("aria-pressed", "true");
    button("names", "N", "Names of bodies", () => toggle("names")).setAttribute("aria-pressed", "false");
    if (paths.length && motion)
      button("paths", "T", "Paths of points", () => toggle("paths")).setAttribute("aria-pressed", "true");
    if (parts.some((part) => part.ghost))
      button("ghost", "G", "The other run, pale", () => toggle("ghost")).setAttribute("aria-pressed", "true");
    if (motion && count > 1) {
      button("flashes", "≋", "Stroboscope", () => toggle("flashes")).setAttribute("aria-pressed", "false");
      if (window.MediaRecorder && picture.captureStream)
        button("record", "●", "Record a film", record).setAttribute("aria-pressed", "false");
    }
    if (root.ownerDocument.fullscreenEnabled) button("wide", "□", "Full screen", fill);
    button("reset", "⌂", "View as at the start", reset);
    button("help", "?", "Keys", toggleHelp).setAttribute("aria-expanded", "false");
    if (explore) for (const slider of explore.sliders) {
      const row = element("label", "easydyn-slider", side), out = element("output", "", row);
      const input = element("input", "", row, {
        type: "range", min: slider.low, max: slider.high, step: (slider.high - slider.low) / 1000, value: slider.value,
        "aria-label": slider.name + (slider.unit ? ` in ${slider.unit}` : ""),
      });
      const near = (x) => (Math.abs(x) < 1e-9 * (slider.high - slider.low) ? 0 : x);  // its places are rounded
      const show = () => {
        const value = `${shown(near(+input.value), 3)} ${slider.unit}`.trim();
        out.textContent = `${slider.name} = ${value}`;
        input.setAttribute("aria-valuetext", value);
      };
      input.addEventListener("input", () => {
        if (slider.slot === "t") values.t = +input.value;
        else values.q[slider.index] = +input.value;
        show();
        locate();
        tell(state.lost ? "The mechanism cannot be assembled here: shown where it last could." : out.textContent);
        refresh();
      });
      show();
    }
    if (!side.firstChild) side.remove();

    // mouse, touch, keyboard
    function reset() {
      view = { ...home };
      state.follow = data.view.follow;
      refresh();
    }
    function turn(azimuth, elevation) {
      view.azimuth += azimuth;
      view.elevation = Math.min(1.55, Math.max(-1.55, view.elevation + elevation));
      refresh();
    }
    function zoom(factor) {
      view.zoom = Math.min(50, Math.max(0.02, view.zoom * factor));
      refresh();
    }
    function shift(x, y) {  // in shares of the height of the picture
      const camera = cameraNow(), size = 2 * camera.distance * Math.tan(ANGLE / 2);
      view.pan = plus(plus(view.pan, camera.right, -x * size), camera.up, y * size);
      refresh();
    }
    const pointers = new Map();
    let pressed = null;  // where, as long as it may become a click
    overlay.addEventListener("pointerdown", (event) => {
      overlay.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      pressed = pointers.size === 1 ? [event.clientX, event.clientY] : null;
      root.focus({ preventScroll: true });
    });
    overlay.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
      if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > 4) pressed = null;
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        zoom(gap(before) / gap(now));
        shift(dx / 2 / height, dy / 2 / height);
      } else if (event.shiftKey || event.buttons & 6) shift(dx / height, dy / height);
      else turn(-dx * 0.008, dy * 0.008);
      pointers.set(event.pointerId, now);
    });
    overlay.addEventListener("pointerup", (event) => {
      if (!pressed || event.button > 0) return;
      const box = overlay.getBoundingClientRect(), k = bodyAt(event.clientX - box.left, event.clientY - box.top);
      pick(k === state.picked ? 0 : k);
    });
    for (const kind of ["pointerup", "pointercancel"])
      overlay.addEventListener(kind, (event) => pointers.delete(event.pointerId));
    overlay.addEventListener("contextmenu", (event) => event.preventDefault());
    overlay.addEventListener("wheel", (event) => {
      if (!root.contains(document.activeElement) && !event.ctrlKey) return;  // the page scrolls
      event.preventDefault();
      zoom(Math.exp(event.deltaY * 0.0015));
    }, { passive: false });

    const ACTIONS = {
      " ": () => (state.playing ? pause() : play()), ArrowLeft: (e) => step(e.shiftKey ? -10 : -1),
      ArrowRight: (e) => step(e.shiftKey ? 10 : 1), Home: () => { pause(); go(0); }, End: () => { pause(); go(count - 1); },
      "[": () => setSpeed(speedIndex() - 1), "]": () => setSpeed(speedIndex() + 1), l: () => toggle("loop"),
      a: () => turn(-0.1, 0), d: () => turn(0.1, 0), w: () => turn(0, 0.1), s: () => turn(0, -0.1),
      "+": () => zoom(0.9), "=": () => zoom(0.9), "-": () => zoom(1 / 0.9), 4: () => shift(-0.05, 0), 6: () => shift(0.05, 0),
      8: () => shift(0, -0.05), 2: () => shift(0, 0.05), 0: reset, f: nextToFollow, c: () => toggle("centres"),
      n: () => toggle("names"), t: () => toggle("paths"), "?": toggleHelp, x: () => lookAlong(0), y: () => lookAlong(1),
      z: () => lookAlong(2), b: pickNext, g: () => toggle("ghost"), m: () => toggle("flashes"),
      r: () => controls.record && record(), v: () => controls.wide && fill(), Escape: () => pick(0),
    };
    const NEED_TIME = [" ", "ArrowLeft", "ArrowRight", "Home", "End", "[", "]", "l", "m", "r"];
    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const own = event.target !== root && /^(INPUT|SELECT|BUTTON)$/.test(event.target.tagName);
      if (own && (key === " " || key === "Enter")) return;  // the control's own keys
      if (own && event.target.tagName !== "BUTTON" && /^(Arrow|Home|End)/.test(key)) return;
      if (own && event.target.tagName === "SELECT") return;
      if (!Object.hasOwn(ACTIONS, key) || (NEED_TIME.includes(key) && !controls.play)) return;
      event.preventDefault();
      ACTIONS[key](event);
    });

    // size
    function resize() {
      const box = stage.getBoundingClientRect();
      ratio = window.devicePixelRatio || 1;
      [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
      for (const canvas of [picture, overlay]) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      for (const pane of panes) pane.resize(ratio);
      refresh();
    }
    new ResizeObserver(resize).observe(main);
    resize();
    showTime();
    tell(motion ? undefined : explore && explore.sliders.length ? "Move the sliders." : "");
    night.addEventListener("change", () => { setTheme(); resize(); });
    return root.easydyn = {
      play, pause, go, step, turn, zoom, shift, reset, draw, time, renderer: () => renderer.name, state, controls,
      pick, bodyAt, surfaces: () => parts.filter((part) => part.at).map((part) => Array.from(part.nodes || [])),
      view: () => ({ ...view }), where: (k) => where[k], theme, project: (p) => cameraNow().project(p),
    };
  }

  player.parts = {
    decoded, product, moved, matrixOfPose, matrixOfRows, placed, between, lookAt, perspective, normalMatrix, compiled,
    ticks, shown, corners, finer, inDark, rgb, normalsOf, tintOf, COLOURS, cross, dot, unit, OPERATIONS,
  };
  return player;
})();

if (typeof module !== "undefined") module.exports = easydynPlayer;
