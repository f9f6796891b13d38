// SPDX-License-Identifier: Apache-2.0
//
// node tests/demo.mjs [FOLDER]: draws ten digits on docs/demo/index.html in a headless browser, with the events that a
// mouse makes, and looks at what the page says. At least nine must be right, and scores must change while drawing.
// With FOLDER, pictures of the page are left there. The browser is spoken to through a pipe, by its DevTools protocol.

import {spawn} from "node:child_process";
import {existsSync, writeFileSync} from "node:fs";
import {fileURLToPath} from "node:url";

const folder = process.argv[2];
const page = fileURLToPath(new URL("../docs/demo/index.html", import.meta.url));
const browser = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);
if (!browser) {
  console.log("skipped: there is no Chromium (chromium-headless-shell)");
  process.exit(0);
}

// One digit each, as strokes of points in a square of 100 x 100.
const arc = (x, y, rx, ry, from, to) => Array.from({length: 25}, (_, i) => {
  const angle = (from + (to - from) * i / 24) * Math.PI / 180;
  return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
});
const digits = [
  [arc(50, 50, 27, 40, -90, 275)],
  [[[38, 26], [54, 10], [53, 50], [52, 90]]],
  [[...arc(48, 32, 24, 22, -160, 30), [52, 62], [24, 90], [50, 88], [80, 90]]],
  [[...arc(46, 30, 24, 20, -150, 80), ...arc(46, 69, 28, 21, -80, 150)]],
  [[[56, 10], [40, 36], [24, 62], [52, 61], [80, 60]], [[62, 36], [60, 62], [58, 92]]],
  [[[74, 12], [36, 12], [32, 45], ...arc(48, 66, 26, 24, -120, 150)]],
  [[[60, 8], [42, 28], [30, 56], ...arc(50, 70, 22, 20, 180, -185)]],
  [[[22, 14], [50, 13], [78, 12], [64, 40], [52, 66], [44, 92]]],
  [[...arc(50, 30, 20, 20, -60, -270), ...arc(50, 70, 24, 21, -90, 270), ...arc(50, 30, 20, 20, 90, -60)]],
  [[...arc(48, 32, 22, 21, 0, -360), [70, 45], [66, 70], [58, 92]]],
];

const process_of_browser = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
  "--window-size=1000,900", `file://${page}`], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
const [, , , to_browser, from_browser] = process_of_browser.stdio;
const waiting = new Map();
let last_id = 0, received = "";
from_browser.on("data", data => {
  const messages = (received += data).split("\0");
  received = messages.pop();
  for (const message of messages.map(text => JSON.parse(text))) {
    if (message.error) console.error(message.error);
    waiting.get(message.id)?.(message.result ?? {});
    waiting.delete(message.id);
  }
});
const send = (method, params = {}, sessionId) => new Promise(resolve => {
  waiting.set(++last_id, resolve);
  to_browser.write(JSON.stringify({id: last_id, method, params, sessionId}) + "\0");
});
const give_up = setTimeout(() => {
  console.log("the browser does not answer");
  process_of_browser.kill();
  process.exit(1);
}, 120000);

let target;
while (!target) {
  const {targetInfos} = await send("Target.getTargets");
  target = targetInfos.find(info => info.type === "page" && info.url.startsWith("file:"));
}
const {sessionId} = await send("Target.attachToTarget", {targetId: target.targetId, flatten: true});
const evaluate = async expression => (await send("Runtime.evaluate", {expression, returnByValue: true}, sessionId)).result?.value;
const mouse = (type, x, y, buttons) => send("Input.dispatchMouseEvent",
  {type, x, y, buttons, button: type === "mouseMoved" && !buttons ? "none" : "left", clickCount: 1}, sessionId);
const picture = async name => {
  if (!folder) return;
  const {data} = await send("Page.captureScreenshot", {format: "png"}, sessionId);
  writeFileSync(`${folder}/${name}.png`, Buffer.from(data, "base64"));
};

while (!(await evaluate("document.body.dataset.first_answer"))) await new Promise(resolve => setTimeout(resolve, 50));
const place_of = async id => JSON.parse(await evaluate(
  `(box => JSON.stringify([box.left, box.top, box.width, box.height]))(document.getElementById("${id}").getBoundingClientRect())`));
const pad = await place_of("pad"), clear = await place_of("clear");
const answer = () => evaluate("document.body.dataset.answer");
const scores = () => evaluate(`document.getElementById("scores").textContent`);

let right = 0, still = 0;
for (let digit = 0; digit < 10; ++digit) {
  await mouse("mousePressed", clear[0] + clear[2] / 2, clear[1] + clear[3] / 2, 1);
  await mouse("mouseReleased", clear[0] + clear[2] / 2, clear[1] + clear[3] / 2, 0);
  if (await answer() !== "-1") console.log(`${digit}: the page was not cleared`), right = -10;
  const seen = new Set();
  for (const stroke of digits[digit]) {
    const at = ([x, y]) => [pad[0] + x / 100 * pad[2], pad[1] + y / 100 * pad[3]];
    await mouse("mousePressed", ...at(stroke[0]), 1);
    for (let i = 1; i < stroke.length; ++i)
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const between = axis => stroke[i - 1][axis] + part * (stroke[i][axis] - stroke[i - 1][axis]);
        await mouse("mouseMoved", ...at([between(0), between(1)]), 1);
        seen.add(await scores());
      }
    await mouse("mouseReleased", ...at(stroke[stroke.length - 1]), 0);
  }
  const found = await answer();
  right += found === String(digit);
  if (seen.size < 8) ++still;
  console.log(`${digit}: taken for ${found}, ${seen.size} different scores while drawing`);
  await picture(`digit_${digit}`);
}
console.log(await evaluate(`document.getElementById("figures").textContent`));
console.log(`${right} of 10 right`);
clearTimeout(give_up);
process_of_browser.kill();
process.exit(right >= 9 && still === 0 ? 0 : 1);
