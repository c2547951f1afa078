#include "report/page_parts.hpp"

namespace whorl::report {

std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--quiet:#57606a;--line:#c9d1d9;--soft:#f3f5f7;--accent:#0b5cad}
@media(prefers-color-scheme:dark){:root{--ground:#12161b;--text:#e6edf3;--quiet:#a3adb8;--line:#3a434d;--soft:#1c2229;--accent:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1rem}
h1{font-size:1.6rem;margin:1.2rem 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
p,li{max-width:70ch;overflow-wrap:anywhere}
a{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0}
.quiet,figcaption,caption{color:var(--quiet)}
figure{margin:.5rem 0 1rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 1.5rem}
canvas{display:block;max-width:100%;background:#000;cursor:crosshair}
canvas:focus-visible,button:focus-visible,input:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.controls{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:center;margin:.4rem 0}
.controls label{display:flex;gap:.4rem;align-items:center}
button{font:inherit;min-height:2.2rem;padding:0 .8rem;color:var(--text);background:var(--soft);border:1px solid var(--line);border-radius:.3rem}
input[type=range]{width:9rem;min-height:2rem;accent-color:var(--accent)}
output{font-variant-numeric:tabular-nums;color:var(--quiet)}
.scale{display:flex;gap:.5rem;align-items:center;font-variant-numeric:tabular-nums}
.scale canvas{width:9rem;height:.8rem}
svg{display:block;width:100%;max-width:34rem;height:auto}
svg text{fill:var(--text);font-size:12px}
.grid{stroke:var(--line);stroke-width:.7;fill:none}.axis{stroke:var(--text);fill:none}
.line{fill:none;stroke-width:1.8}.dots{fill:none;stroke-width:2.2;stroke-linecap:round}
.c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#e69f00}.c5{stroke:#56b4e9}.c6{stroke:#8b6fc0}.c7{stroke:#888}
@media(prefers-color-scheme:dark){.c0{stroke:#56b4e9}.c5{stroke:#9ad0f5}}
table{border-collapse:collapse;margin:.5rem 0;max-width:100%}
caption{text-align:left}
th,td{text-align:left;font-weight:400;padding:.15rem .8rem .15rem 0;vertical-align:top;overflow-wrap:anywhere}
th{color:var(--quiet);min-width:7rem}
.bars{width:100%;max-width:44rem}.bars th{width:12rem}
.bars td{display:flex;gap:.5rem;align-items:center}
.bar{display:inline-block;height:.8rem;background:var(--accent);min-width:1px}
pre{background:var(--soft);padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.fault{border-left:4px solid #d55e00;padding-left:.6rem}
summary{cursor:pointer;padding:.3rem 0}
@media(max-width:34rem){.bars th{width:7rem;min-width:0}}
)css";
}

std::string_view page_script() {
  return R"js(
(() => {
"use strict";
const source = document.getElementById("data");
if (!source) return;
const data = JSON.parse(source.textContent);
const shown = (value) => Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 || value === 0 ? String(+value.toPrecision(4)) : value.toExponential(2);
function decoded(text) {
  const raw = atob(text), values = new Uint16Array(raw.length >> 1);
  for (let i = 0; i < values.length; i++) values[i] = raw.charCodeAt(2 * i) | raw.charCodeAt(2 * i + 1) << 8;
  return values;
}
function add(parent, name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.textContent = text;
  parent.append(element);
  return element;
}
function slider(parent, name, most, change) {
  const label = add(parent, "label", {}, name + " ");
  const input = add(label, "input", {type: "range", min: 0, max: most, step: 1});
  input.addEventListener("input", () => change(+input.value));
  return input;
}
function start(figure, view) {
  const canvas = figure.querySelector("canvas"), pen = canvas.getContext("2d");
  const frames = view.frames.map(decoded), lut = data.colormaps[view.colormap];
  const [least, largest] = view.range, extent = largest - least;
  const zoom = Math.max(1, Math.min(8, Math.floor(720 / view.width)));
  canvas.width = view.width * zoom;
  canvas.height = view.height * zoom;
  const small = document.createElement("canvas");
  small.width = view.width;
  small.height = view.height;
  const thin = small.getContext("2d"), pixels = thin.createImageData(view.width, view.height);
  let frame = 0, low = view.window[0], high = view.window[1], timer = 0;

  const bar = add(figure, "div", {class: "scale"});
  const from = add(bar, "span");
  const strip = add(bar, "canvas", {"aria-hidden": "true"});
  const to = add(bar, "span");
  strip.width = 256;
  strip.height = 1;
  const strip_pen = strip.getContext("2d"), strip_pixels = strip_pen.createImageData(256, 1);
  for (let i = 0; i < 256; i++) strip_pixels.data.set([lut[3 * i], lut[3 * i + 1], lut[3 * i + 2], 255], 4 * i);
  strip_pen.putImageData(strip_pixels, 0, 0);
  const controls = add(figure, "div", {class: "controls"});
  const steps = 200;
  const level = slider(controls, "Level", steps, (value) => set((high - low), least + extent * value / steps));
  const width = slider(controls, "Window", steps, (value) => set(extent * Math.max(1, value) / steps, (low + high) / 2));
  const reset = add(controls, "button", {type: "button"}, "Reset");
  const series = frames.length > 1;
  const place = series ? slider(controls, view.along[0].toUpperCase() + view.along.slice(1), frames.length - 1, (value) => { stop(); go(value); }) : null;
  const play = series ? add(controls, "button", {type: "button"}, "Play") : null;
  const said = add(controls, "output");

  function draw() {
    const values = frames[frame], scale = extent / 65535, factor = 255 / (high - low), out = pixels.data;
    for (let i = 0; i < values.length; i++) {
      const part = (least + values[i] * scale - low) * factor;
      const color = 3 * (part < 0 ? 0 : part > 255 ? 255 : Math.round(part));
      out[4 * i] = lut[color];
      out[4 * i + 1] = lut[color + 1];
      out[4 * i + 2] = lut[color + 2];
      out[4 * i + 3] = 255;
    }
    thin.putImageData(pixels, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, 0, 0, canvas.width, canvas.height);
    const size = Math.max(13, Math.round(canvas.width / 52));
    pen.font = size + "px system-ui, sans-serif";
    pen.lineWidth = 3;
    pen.strokeStyle = "#000";
    pen.fillStyle = "#fff";
    for (const [x, y, text] of view.labels) {
      pen.strokeText(text, x * zoom + 4, y * zoom + size + 1);
      pen.fillText(text, x * zoom + 4, y * zoom + size + 1);
    }
    from.textContent = shown(low);
    to.textContent = shown(high) + (view.unit ? " " + view.unit : "");
    level.value = Math.round(((low + high) / 2 - least) / extent * steps);
    width.value = Math.round((high - low) / extent * steps);
    level.setAttribute("aria-valuetext", shown((low + high) / 2));
    width.setAttribute("aria-valuetext", shown(high - low));
    if (place) {
      place.value = frame;
      place.setAttribute("aria-valuetext", view.along + " " + view.numbers[frame]);
    }
    canvas.dataset.low = low;
    canvas.dataset.high = high;
    canvas.dataset.frame = frame;
    said.textContent = series ? view.along + " " + view.numbers[frame] + " of 0 to " + (view.count - 1) : "";
  }
  function set(extended, middle) {
    const size = Math.max(extended, extent / 1000);
    low = middle - size / 2;
    high = middle + size / 2;
    draw();
  }
  function go(to) {
    frame = (to + frames.length) % frames.length;
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    if (play) play.textContent = "Play";
  }
  function toggle() {
    if (timer) return stop();
    timer = setInterval(() => go(frame + 1), 125);
    play.textContent = "Stop";
  }
  function first() {
    [low, high] = view.window;
    draw();
  }
  reset.addEventListener("click", first);
  if (play) play.addEventListener("click", toggle);
  canvas.addEventListener("dblclick", first);
  canvas.addEventListener("keydown", (event) => {
    const size = high - low, middle = (low + high) / 2;
    const acts = {
      ArrowUp: () => set(size, middle + 0.05 * size), ArrowDown: () => set(size, middle - 0.05 * size),
      ArrowRight: () => set(size * 1.1, middle), ArrowLeft: () => set(size / 1.1, middle),
      Home: first
    };
    if (series) Object.assign(acts, {PageUp: () => go(frame - 1), PageDown: () => go(frame + 1), " ": toggle});
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button !== 0) return;
    held = {x: event.clientX, y: event.clientY, size: high - low, middle: (low + high) / 2};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointercancel", () => { held = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      set(held.size * Math.exp((event.clientX - held.x) / 200), held.middle - (event.clientY - held.y) / 300 * held.size);
      return;
    }
    const box = canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / box.width * view.width);
    const y = Math.floor((event.clientY - box.top) / box.height * view.height);
    if (x < 0 || y < 0 || x >= view.width || y >= view.height) return;
    said.textContent = "value " + shown(least + frames[frame][y * view.width + x] * extent / 65535) + (view.unit ? " " + view.unit : "");
  });
  draw();
}
for (const figure of document.querySelectorAll("figure[data-view]")) start(figure, data.views[+figure.dataset.view]);
const copy = document.getElementById("copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById("command-line").textContent);
    copy.textContent = "Copied";
  });
}
})();
)js";
}

}  // namespace whorl::report
