/** A square with a letter in the place of an icon, which would be a request to another host. */
export interface Tile {
  readonly text: string;
  /** Its color in the style sheet, by number; `undefined` for a quiet one. */
  readonly color: number | undefined;
}

const COLORS = 6;

/** The tile of a name: always the same. */
export function tileOf(name: string): Tile {
  const [letter = ''] = /[\p{L}\p{N}]/u.exec(name.replace(/^www\./, '')) ?? [];
  const sum = [...name].reduce((codes, char) => codes + (char.codePointAt(0) ?? 0), 0);
  return { text: letter.toUpperCase(), color: sum % COLORS };
}
