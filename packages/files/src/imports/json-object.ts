import { MAX_LINE_LENGTH } from './lines.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** No export nests deeper. Each level takes memory, so a short text could take a lot of it. */
export const MAX_DEPTH = 64;

/** Parses a JSON object; `undefined` for any other text, and if it is longer than 1 MiB or nested too deeply. */
export function jsonObject(text: string): JsonObject | undefined {
  if (text.length > MAX_LINE_LENGTH || isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const OPENING: ReadonlySet<number> = new Set(['[', '{'].map((character) => character.charCodeAt(0)));
const CLOSING: ReadonlySet<number> = new Set([']', '}'].map((character) => character.charCodeAt(0)));

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    else if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
