// Words of a text in the notation, line by line, for their colours; a string that goes over several lines is carried from line to line.

/** @typedef {{ kind: "" | "keyword" | "comment" | "string" | "number" | "name", text: string }} Word */

const KEYWORDS = new Set(
  (
    "False None True and as assert class def elif else for from if import in is lambda not or pass return while " +
    "Param array bit closed given inputs maybe oracle pair phase promise require span start"
  ).split(" "),
);

const WORD =
  /(?<comment>#.*)|(?<string>"""|'''|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(?<name>@?[\p{L}_][\p{L}\p{N}_]*)|(?<number>\d[\w.]*)|(?<other>\s+|.)/gu;

/**
 * The words of a line, and the quotes of the string that is open at its end; `open` are those that are open at its beginning.
 * @param {string} line
 * @param {string} open
 * @returns {{ words: Word[], open: string }}
 */
export function wordsOf(line, open) {
  /** @type {Word[]} */
  const words = [];
  const end = open === "" ? 0 : endOf(line, open, 0);
  if (end === null) return { words: [{ kind: "string", text: line }], open };
  if (end > 0) words.push({ kind: "string", text: line.slice(0, end) });
  WORD.lastIndex = end;
  for (let found = WORD.exec(line); found; found = WORD.exec(line)) {
    const [text] = found;
    if (text === '"""' || text === "'''") {
      const close = endOf(line, text, WORD.lastIndex);
      words.push({ kind: "string", text: line.slice(found.index, close ?? line.length) });
      if (close === null) return { words, open: text };
      WORD.lastIndex = close;
    } else words.push({ kind: kindOf(text, found.groups ?? {}), text });
  }
  return { words, open: "" };
}

/** Where a string ends, if it does. @param {string} line @param {string} quotes @param {number} from */
function endOf(line, quotes, from) {
  const at = line.indexOf(quotes, from);
  return at < 0 ? null : at + quotes.length;
}

/** @param {string} text @param {Record<string, string | undefined>} groups @returns {Word["kind"]} */
function kindOf(text, groups) {
  if (groups.comment !== undefined) return "comment";
  if (groups.string !== undefined) return "string";
  if (groups.number !== undefined) return "number";
  if (groups.name === undefined) return "";
  return KEYWORDS.has(text.replace("@", "")) ? "keyword" : "name";
}

/** The number of the paper's line that a comment at the end of a line is. @param {string} line */
export const paperLine = (line) => /\s*#\s*(\d+)\s*$/.exec(line);

// --- Places in a text that is changed ----------------------------------------------------------------------------

/**
 * Where the lines of one text are in another that differs from it in one stretch: the number of a line, from 1, or null.
 * @param {string[]} before
 * @param {string[]} after
 */
export function moved(before, after) {
  const most = Math.min(before.length, after.length);
  let [head, tail] = [0, 0];
  while (head < most && before[head] === after[head]) head += 1;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const place = (/** @type {number} */ line) => {
    if (line <= head) return line;
    return line > before.length - tail ? line + after.length - before.length : null;
  };
  return { head, tail, place };
}
