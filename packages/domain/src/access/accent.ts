/** The backgrounds of pages and mails on which text stands in the accent. A test compares them with the style sheet. */
export const BACKGROUNDS = {
  light: ['#fbfbfa', '#ffffff', '#f1f1ee', '#fff6dd'],
  dark: ['#121317', '#1a1b20', '#20232a', '#2e2914'],
} as const;

/** The least contrast of text (WCAG 2, level AA). */
export const MIN_CONTRAST = 4.5;

/** How much of the accent is in the tint behind what is chosen. */
export const TINT_PERCENT = 10;
const LIGHTER_STEPS = 100;

type Rgb = readonly number[];

/** A colour as `#rrggbb`, in lower case, of the same with letters in any case; `undefined` if it is none. */
export function readColour(text: string): string | undefined {
  return /^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The least contrast of text in this colour on light pages, rounded down to hundredths. */
export function contrastOf(colour: string): number {
  return Math.floor(leastContrast(rgbOf(colour), 'light') * 100) / 100;
}

/** The colour on dark pages: no lighter than it must be to be read. */
export function onDark(colour: string): string {
  const own = rgbOf(colour);
  for (let step = 0; step < LIGHTER_STEPS; step += 1) {
    const lighter = mix([255, 255, 255], own, step / LIGHTER_STEPS);
    if (leastContrast(lighter, 'dark') >= MIN_CONTRAST) return hexOf(lighter);
  }
  return '#ffffff';
}

function leastContrast(colour: Rgb, scheme: keyof typeof BACKGROUNDS): number {
  const plain = BACKGROUNDS[scheme].map(rgbOf);
  const tinted = mix(colour, rgbOf(BACKGROUNDS[scheme][1]), TINT_PERCENT / 100);
  return Math.min(...[...plain, tinted].map((background) => contrastBetween(colour, background)));
}

/** The ratio of WCAG 2, from 1 to 21. */
function contrastBetween(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminanceOf(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** So much of `one` in `other`. */
function mix(one: Rgb, other: Rgb, share: number): Rgb {
  return one.map((channel, index) => Math.round(channel * share + (other[index] ?? 0) * (1 - share)));
}

function rgbOf(colour: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

function hexOf(colour: Rgb): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
