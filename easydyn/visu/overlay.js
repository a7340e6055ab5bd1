// A film under a canvas, on which a mechanism is drawn at the time of the shown frame: what overlay.py writes.
//
//     easydynPlayer(root, data)
//
// The film is played by the browser as it is. `requestVideoFrameCallback` tells the time of the frame that is shown;
// where a browser does not have it, the time of play stands for it. Nothing here is global but this name.

const easydynPlayer = (() => {
  "use strict";

  function element(tag, kind, parent, attributes = {}) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") made.textContent = value;
      else made.setAttribute(name, value);
    }
    parent.append(made);
    return made;
  }

  return function player(root, data) {
    const { motion, parts } = data, [a, b, c, d, e, f, g, h, i] = data.camera;
    const poses = new Float32Array(Uint8Array.from(atob(motion.poses), (x) => x.charCodeAt(0)).buffer);
    const state = { film: 1, drawn: 1, time: 0, zero: 0, step: 1 / 30, begun: false };
    root.className = "easydyn";
    root.tabIndex = 0;
    root.setAttribute("role", "region");
    root.setAttribute("aria-label", `${data.title} over the film ${data.name}`);
    const main = element("div", "easydyn-main", root);
    const stage = element("div", "easydyn-stage", main, { style: "background: #000; touch-action: manipulation" });
    const whole = "position: absolute; inset: 0; width: 100%; height: 100%;";
    const film = element("video", "", stage, {
      style: `${whole} object-fit: contain`, src: data.film, preload: "auto", muted: "", playsinline: "",
      "aria-label": `Film ${data.name}`,
    });
    film.muted = true;
    const canvas = element("canvas", "", stage, { style: `${whole} pointer-events: none`, "aria-hidden": "true" });
    const pen = canvas.getContext("2d");
    const bar = element("div", "easydyn-bar", root, { role: "toolbar", "aria-label": "Controls" });
    const status = element("div", "easydyn-status", root, { role: "status" });
    const button = (text, label, act) => {
      const made = element("button", "", bar, { type: "button", title: label, "aria-label": label, text });
      made.addEventListener("click", act);
      return made;
    };
    const slider = (label, change) => {
      const own = element("label", "", bar, { text: `${label} ` });
      const made = element("input", "", own, { type: "range", min: 0, max: 1, step: 0.05, value: 1, "aria-label": label });
      made.style.width = "72px";
      made.addEventListener("input", () => { change(Number(made.value)); draw(); });
    };

    const toggle = () => { if (film.paused) film.play().catch(() => {}); else film.pause(); };
    const go = (time) => { film.currentTime = Math.min(Math.max(0, time), Number.isFinite(film.duration) ? film.duration : 0); };
    // to the middle of the next frame, so that rounding does not choose its neighbour
    const by = (frames) => { film.pause(); go(state.time + (frames + 0.5) * state.step); };
    const play = button("▶", "Play", toggle);
    button("‹", "One frame back", () => by(-1));
    button("›", "One frame on", () => by(1));
    const scrub = element("input", "easydyn-scrub", bar, { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time" });
    scrub.addEventListener("input", () => go(Number(scrub.value)));
    const clock = element("span", "easydyn-time", bar, { text: "0.00 s" });
    const speed = element("select", "", bar, { "aria-label": "Speed" });
    for (const x of [0.1, 0.25, 0.5, 1, 2]) element("option", "", speed, { value: x, text: `${x} ×` });
    speed.value = 1;
    speed.addEventListener("change", () => { film.playbackRate = Number(speed.value); });
    slider("Film", (x) => { film.style.opacity = x; });
    slider("Mechanism", (x) => { state.drawn = x; });

    // The poses [R00, R01, x, R10, R11, y] of all frames at a time of the run, between two instants; null outside.
    function posesAt(t) {
      const slack = 1e-6 + state.step / 2;
      if (t < motion.start - slack || t > motion.end + slack) return null;
      const n = motion.count - 1, size = 6 * motion.frames;
      const s = Math.min(Math.max((t - motion.start) / (motion.end - motion.start || 1) * n, 0), n);
      const k = Math.min(Math.floor(s), n - 1), w = s - k;
      return poses.subarray(k * size, (k + 1) * size).map((x, j) => (1 - w) * x + w * poses[(k + 1) * size + j]);
    }

    // Where a point of a frame is in the picture of the film.
    function place(at, frame, [x, y]) {
      const p = 6 * frame, X = at[p] * x + at[p + 1] * y + at[p + 2], Y = at[p + 3] * x + at[p + 4] * y + at[p + 5];
      const w = g * X + h * Y + i, [wide, high] = data.size || [film.videoWidth, film.videoHeight];
      const u = (a * X + b * Y + c) / w, v = (d * X + e * Y + f) / w;
      return [u * film.videoWidth / wide, (data.up ? high - v : v) * film.videoHeight / high];
    }

    function stroke(points, colour, width, closed) {
      pen.beginPath();
      points.forEach((p) => pen.lineTo(...p));
      if (closed) pen.closePath();
      pen.lineJoin = pen.lineCap = "round";
      for (const [style, wide] of [["rgba(255,255,255,.7)", width + 2], [colour, width]]) {
        pen.strokeStyle = style;
        pen.lineWidth = wide;
        pen.stroke();
      }
    }

    function draw() {
      const ratio = window.devicePixelRatio || 1, w = stage.clientWidth, H = stage.clientHeight;
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(H * ratio);
      const t = state.time - state.zero - data.offset, at = film.videoWidth ? posesAt(t) : null;
      clock.textContent = `${t.toFixed(3)} s`;
      scrub.value = state.time;
      scrub.setAttribute("aria-valuetext", `${t.toFixed(3)} s`);
      if (!film.error) status.textContent = at || !film.videoWidth ? "" : `The run is from ${motion.start.toFixed(2)} to ${motion.end.toFixed(2)} s: nothing is drawn here.`;
      if (!at) return;
      const size = Math.min(w / film.videoWidth, H / film.videoHeight), thin = 2 / size;  // in pixels of the film
      pen.setTransform(size * ratio, 0, 0, size * ratio,
        (w - size * film.videoWidth) / 2 * ratio, (H - size * film.videoHeight) / 2 * ratio);
      pen.globalAlpha = state.drawn;
      for (const { kind, frames, points, colour } of parts) {
        const corners = points.map((p, k) => place(at, frames[k % frames.length], p));
        if (kind === "between") stroke(corners, colour, thin, false);
        else if (kind === "solid") {
          stroke(corners, colour, thin, true);
          pen.fillStyle = `${colour}32`;
          pen.fill();
        } else {
          const path = [];
          for (let s = Math.max(motion.start, t - data.trace); s < t; s += 1 / 120) path.push(place(posesAt(s), frames[0], points[0]));
          stroke([...path, corners[0]], colour, thin, false);
          for (const [style, r] of [["#fff", 4 * thin], [colour, 3 * thin]]) {
            pen.fillStyle = style;
            pen.beginPath();
            pen.arc(...corners[0], r, 0, 2 * Math.PI);
            pen.fill();
          }
        }
      }
    }

    // What is shown: told with each frame by new browsers, by the time of play otherwise.
    function shown(time) {
      if (!state.begun) { state.begun = true; state.zero = film.currentTime === 0 ? time : 0; }
      const since = Math.abs(time - state.time);
      if (since > 1e-4 && since < state.step * 0.999 && !film.paused && film.playbackRate <= 1) state.step = since;
      state.time = time;
      draw();
    }
    if (film.requestVideoFrameCallback) {
      const next = (_, { mediaTime }) => { shown(mediaTime); film.requestVideoFrameCallback(next); };
      film.requestVideoFrameCallback(next);
    } else {
      const follow = () => { if (film.currentTime !== state.time) shown(film.currentTime); requestAnimationFrame(follow); };
      film.addEventListener("loadeddata", () => { shown(film.currentTime); follow(); });
    }
    film.addEventListener("loadedmetadata", () => { scrub.max = film.duration; draw(); });
    film.addEventListener("error", () => {
      status.textContent = `This browser cannot play ${data.name}, or does not find it: keep it where it was beside this page, or save an .mp4.`;
    });
    for (const name of ["play", "pause"]) {
      film.addEventListener(name, () => {
        play.textContent = film.paused ? "▶" : "⏸";
        for (const which of ["aria-label", "title"]) play.setAttribute(which, film.paused ? "Play" : "Pause");
      });
    }
    stage.addEventListener("click", toggle);
    root.addEventListener("keydown", (event) => {
      if (event.target !== root || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { " ": toggle, ArrowLeft: () => by(-1), ArrowRight: () => by(1), Home: () => go(0) }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
    new ResizeObserver(draw).observe(stage);
    return root.easydyn = { film, state, place: (t, frame, point) => place(posesAt(t), frame, point) };
  };
})();

if (typeof module !== "undefined") module.exports = easydynPlayer;
