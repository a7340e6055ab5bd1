// What the player of easydyn is drawn with: numbers, and two renderers. Nothing here knows of a page or of a mechanism.
//
// 1. numbers: base64, vectors, matrices (arrays of 16, by columns), poses, straight-line programs, ticks, surfaces
// 2. renderers: WebGL, or triangles sorted by depth on a plain canvas

const easydynDrawing = (() => {
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

  // Takes z from 0 to 1 to the line from p to q, without change across; thinner where it is shorter than `full`.
  function between(p, q, full = 0) {
    const line = sub(q, p), length = norm(line) || 1e-12, z = unit(norm(line) ? line : [0, 0, 1]);
    const wide = full ? Math.max(1e-9, Math.min(1, length / full)) : 1;
    const x = across(z).map((c) => c * wide), y = cross(z, x);
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
      loadSurface: (triangles, closed) => ({ triangles, edges: [], both: !closed, nodes: new Float32Array(0) }),
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

  return {
    COLOURS, PALE, DASHES, decoded, sub, plus, dot, cross, norm, unit, across, product, moved, matrixOfPose,
    matrixOfRows, placed, between, lookAt, perspective, normalMatrix, OPERATIONS, compiled, ticks, shown, nodesOf,
    corners, finer, inDark, normalsOf, tintOf, rgb, webglRenderer, canvasRenderer,
  };
})();

if (typeof module !== "undefined") module.exports = easydynDrawing;
