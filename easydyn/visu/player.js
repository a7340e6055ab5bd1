// The player of easydyn: shows a scene in space, moved by recorded frames or by sliders.
//
//     const player = easydynPlayer(root, data)
//
// `root` is an element of the page, all that the player makes is inside of it; `data` is what page.py writes.
// Several players on a page know nothing of each other: nothing here is global, nothing is fetched.
//
// 1. plots
// 2. the player: controls, mouse, touch, keyboard
//
// drawing.js holds its numbers and its renderers.

const easydynPlayer = ((drawing) => {
  "use strict";
  const {
    COLOURS, PALE, DASHES, decoded, sub, plus, dot, cross, norm, unit, across, product, moved, matrixOfPose,
    matrixOfRows, placed, between, lookAt, perspective, compiled, ticks, shown, nodesOf, inDark, normalsOf, tintOf,
    rgb, webglRenderer, canvasRenderer,
  } = drawing;

  // -- 1. plots ------------------------------------------------------------------------------------------------

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

  // -- 2. the player -------------------------------------------------------------------------------------------

  const KEYS = [
    ["Space", "play, pause"], ["← →", "one frame back, on (with Shift: ten)"], ["Home End", "first, last frame"],
    ["[ ]", "slower, faster"], ["L", "again and again, or once"], ["A D W S", "turn the view left, right, up, down"],
    ["+ −", "nearer, farther"], ["4 6 8 2", "shift the picture left, right, up, down"], ["0", "view as at the start"],
    ["F", "go along with the next body, or stay"], ["C", "centres of mass"], ["N", "names of bodies"],
    ["T", "paths of points"], ["X Y Z", "look along an axis of the ground"],
    ["B", "numbers of the next body, or of none (a click on a body does it, too)"],
    ["E J", "forces, reactions of joints"],
    ["M", "stroboscope: where the bodies have been"], ["G", "the other run, pale"],
    ["V", "full screen, and back"], ["R", "record a film of the run, or end it"], ["?", "these keys"],
  ];
  const LAYERS = [["forces", "⇗", "Forces"], ["reactions", "⇙", "Reactions of joints"]];
  const ALL_SPEEDS = [];
  for (let power = -6; power <= 4; power++) for (const k of [1, 2, 5]) ALL_SPEEDS.push(+`${k}e${power}`);
  const FLASHES = 10;  // earlier places that a stroboscope shows

  function player(root, data) {
    const frames = data.frames.length, motion = data.motion, explore = data.program;
    const count = motion ? motion.count : 1;
    const times = Float64Array.from({ length: count }, (_, k) => motion ? motion.start + k * motion.step : 0);
    const poses = motion && decoded(motion.poses, Int16Array), tips = motion && decoded(motion.tips, Float32Array);
    const rates = motion && motion.rates && decoded(motion.rates, Uint16Array);
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
    bodies.push(...data.parts.filter((p) => p.between && !p.ghost).map((p) => p.name));
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
        part.handle = renderer.loadSurface(part.triangles, Boolean(part.between));
        part.place = placed([1, 1, 1], [0, 0, 0]);
        part.formed = null;
      }
    }
    for (const part of parts) if (part.kind === "surface") {
      part.at = decoded(part.places, Float32Array);
      part.formula = compiled(part.program);
      if (part.between) part.own = decoded(part.pieces, Uint16Array);
      if (part.legend) part.legend = { ...part.legend, stops: part.legend.colours.map(rgb) };
    }
    load();
    function form(part) {  // where the nodes of a surface are now, and which colours they have
      const signals = part.tips.flatMap((k) => Array.from(vectors[k] || [0, 0, 0]));
      const rows = (m) => [0, 1, 2].flatMap((i) => [m[i], m[4 + i], m[8 + i], m[12 + i]]);
      const each = part.between && part.between.map(([a, b], k, all) => {  // by piece: two frames, and its signals
        const size = signals.length / all.length;
        return [...rows(where[a]), ...rows(where[b]), ...signals.slice(k * size, (k + 1) * size)];
      });
      const key = each ? each.join() : signals.join();
      if (part.formed === key) return;
      part.formed = key;
      const count = part.at.length / part.width, nodes = new Float32Array(3 * count);
      const tints = part.legend && new Float32Array(3 * count);
      for (let k = 0; k < count; k++) {
        const q = part.at.subarray(part.width * k, part.width * (k + 1));
        const found = part.formula({ t: 0, q, qd: each ? each[part.own[k]] : signals });
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
        const long = Math.min(160, 0.45 * height), top = (height - long) / 2;
        const fill = pen.createLinearGradient(0, top + long, 0, top);
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
        const base = part.kind === "between" ? between(...part.ends.map(endOf), part.full) : where[part.frame];
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
    function moves(part) {
      if (part.kind === "between") return part.ends.every((end) => end.tip === undefined);
      return part.kind !== "surface" && part.frame > 0;
    }

    // numbers of a body
    function centreOf(k) {
      const centre = parts.find((part) => part.kind === "centre" && part.frame === k);
      return centre ? centre.point : [0, 0, 0];
    }
    function numbersOf(k) {  // place and speed of its centre of mass, and how fast it turns
      const place = moved(where[k], centreOf(k)), found = [["place", `(${place.map((x) => shown(x, 3)).join(", ")}) m`]];
      if (!rates || k > motion.tops.length) return found;
      const low = Math.floor(state.at), high = Math.min(count - 1, low + 1), tops = motion.tops[k - 1];
      const rate = (j) => {
        const of = (row) => rates[2 * (row * motion.tops.length + k - 1) + j];
        return (of(low) + (state.at - low) * (of(high) - of(low))) / 65535 * tops[j];
      };
      return [...found, ["speed", `${shown(rate(0), 4)} m/s`], ["turns at", `${shown(rate(1), 4)} rad/s`]];
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
    function toggleLayer(name) {
      if (!controls[name]) return;
      state.off[name] = !state.off[name];
      controls[name].setAttribute("aria-pressed", String(!state.off[name]));
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
    for (const [name, sign, label] of LAYERS) if (parts.some((part) => part.layer === name))
      button(name, sign, label, () => toggleLayer(name)).setAttribute("aria-pressed", "true");
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
      e: () => toggleLayer("forces"), j: () => toggleLayer("reactions"),
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

  player.parts = drawing;
  return player;
})(typeof easydynDrawing === "undefined" ? require("./drawing.js") : easydynDrawing);

if (typeof module !== "undefined") module.exports = easydynPlayer;
