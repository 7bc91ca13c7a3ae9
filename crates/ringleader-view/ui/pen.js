// Two pens that draw the same: one on a canvas, for the screen and PNG, one as SVG text. All pictures are drawn
// through them, so what is exported is what is seen.

/** @typedef {import("./types").Pen} Pen */
/** @typedef {import("./types").Style} Style */
/** @typedef {import("./types").TextStyle} TextStyle */
/** @typedef {import("./types").Point} Point */

export const FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

/** @implements {Pen} */
export class CanvasPen {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    context.textBaseline = "middle";
    context.lineJoin = "round";
  }

  /** @param {Style} style */
  #paint({ fill, stroke, width = 1, dash, alpha = 1, round = false }) {
    const { context } = this;
    context.globalAlpha = alpha;
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (!stroke) return;
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.lineCap = round ? "round" : "butt";
    context.setLineDash(dash ?? []);
    context.stroke();
  }

  /** @type {Pen["circle"]} */
  circle(x, y, radius, style) {
    this.arc(x, y, radius, 0, 2 * Math.PI, style);
  }

  /** @type {Pen["arc"]} */
  arc(x, y, radius, from, to, style) {
    this.context.beginPath();
    this.context.arc(x, y, radius, from, to);
    this.#paint(style);
  }

  /** @type {Pen["polygon"]} */
  polygon(points, style, open = false) {
    const { context } = this;
    context.beginPath();
    points.forEach(({ x, y }, k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    if (!open) context.closePath();
    this.#paint(style);
  }

  /** @type {Pen["rect"]} */
  rect(x, y, width, height, style, radius = 0) {
    this.context.beginPath();
    this.context.roundRect(x, y, width, height, radius);
    this.#paint(style);
  }

  /** @type {Pen["text"]} */
  text(x, y, text, { size, fill, weight = 400, align = "middle", halo }) {
    const { context } = this;
    context.globalAlpha = 1;
    context.font = `${weight} ${size}px ${FONT}`;
    context.textAlign = align === "middle" ? "center" : align;
    if (halo) {
      context.setLineDash([]);
      context.strokeStyle = halo;
      context.lineWidth = 3;
      context.strokeText(text, x, y);
    }
    context.fillStyle = fill;
    context.fillText(text, x, y);
  }

  /** @type {Pen["measure"]} */
  measure(text, size) {
    this.context.font = `400 ${size}px ${FONT}`;
    return this.context.measureText(text).width;
  }

  /** @type {Pen["within"]} */
  within({ x, y, width, height }, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }
}

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/** @param {string} text */
export const escape = (text) => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** @param {Style} style */
function paint({ fill, stroke, width = 1, dash, alpha = 1, round = false }) {
  const parts = [`fill="${fill ?? "none"}"`];
  if (stroke) parts.push(`stroke="${stroke}" stroke-width="${short(width)}" stroke-linejoin="round"`);
  if (stroke && dash?.length) parts.push(`stroke-dasharray="${dash.join(" ")}"`);
  if (stroke && round) parts.push(`stroke-linecap="round"`);
  if (alpha < 1) parts.push(`opacity="${short(alpha)}"`);
  return parts.join(" ");
}

/** @param {number} x @param {number} y @param {number} radius @param {number} angle */
const onCircle = (x, y, radius, angle) => `${short(x + radius * Math.cos(angle))} ${short(y + radius * Math.sin(angle))}`;

/** @implements {Pen} */
export class SvgPen {
  /** @type {string[]} */
  #parts = [];
  #clips = 0;

  /** @type {Pen["circle"]} */
  circle(x, y, radius, style) {
    this.#parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" ${paint(style)}/>`);
  }

  /** @type {Pen["arc"]} */
  arc(x, y, radius, from, to, style) {
    if (to - from >= 2 * Math.PI) return this.circle(x, y, radius, style);
    const large = to - from > Math.PI ? 1 : 0;
    const r = short(radius);
    const path = `M${onCircle(x, y, radius, from)}A${r} ${r} 0 ${large} 1 ${onCircle(x, y, radius, to)}`;
    this.#parts.push(`<path d="${path}" ${paint(style)}/>`);
  }

  /** @type {Pen["polygon"]} */
  polygon(points, style, open = false) {
    const list = points.map(({ x, y }) => `${short(x)},${short(y)}`).join(" ");
    this.#parts.push(`<${open ? "polyline" : "polygon"} points="${list}" ${paint(style)}/>`);
  }

  /** @type {Pen["rect"]} */
  rect(x, y, width, height, style, radius = 0) {
    const size = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" rx="${short(radius)}"`;
    this.#parts.push(`<rect ${size} ${paint(style)}/>`);
  }

  /** @type {Pen["text"]} */
  text(x, y, text, { size, fill, weight = 400, align = "middle", halo }) {
    const rim = halo ? ` stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
    const font = `font-size="${short(size)}" font-weight="${weight}" text-anchor="${align}" dominant-baseline="central"`;
    this.#parts.push(`<text x="${short(x)}" y="${short(y)}" ${font} fill="${fill}"${rim}>${escape(text)}</text>`);
  }

  /** @type {Pen["measure"]} */
  measure(text, size) {
    return text.length * size * 0.55;
  }

  /** @type {Pen["within"]} */
  within(box, draw) {
    const id = `clip${this.#clips++}`;
    const { x, y, width, height } = box;
    const rect = `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>`;
    this.#parts.push(`<clipPath id="${id}">${rect}</clipPath><g clip-path="url(#${id})">`);
    draw();
    this.#parts.push("</g>");
  }

  /** The whole drawing. @param {number} width @param {number} height */
  document(width, height) {
    const size = `width="${short(width)}" height="${short(height)}" viewBox="0 0 ${short(width)} ${short(height)}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escape(FONT)}">${this.#parts.join("\n")}</svg>`;
  }
}
