import { onDark } from '@hitherto/domain/access';
import type { Locale } from '@hitherto/words';

// Mail programs that drop a style element still apply inline styles, so the light colours are inline. Programs that know
// `prefers-color-scheme` get the dark ones by class; other programs show a light mail, or invert it themselves.

const FONT = '-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica, Arial, sans-serif';

/** The colours of the product's mark. */
export const MARK = { history: '#2b50e0', bars: ['#ffffff', '#ffffff', '#ff7a4f'] } as const;

/** The colours of the statistics pages, by the class that has them: light, dark. */
const COLOURS = {
  ground: ['#fbfbfa', '#121317'],
  card: ['#ffffff', '#1a1b20'],
  text: ['#17181c', '#eeeef1'],
  quiet: ['#5d6069', '#a3a6b0'],
  line: ['#e6e6e3', '#2c2e35'],
  accent: ['#2f5bea', '#86a4ff'],
  button: ['#2f5bea', '#3b63e0'],
  good: ['#0f7345', '#5bd196'],
  bad: ['#b3261e', '#ff9389'],
  notice: ['#fff6dd', '#2e2914'],
} as const;

const light = (name: keyof typeof COLOURS): string => COLOURS[name][0];

/** The style element: the dark colours, and smaller margins on phones. */
export const styleSheet = (accent: string | null): string =>
  [
    ':root { color-scheme: light dark; supported-color-schemes: light dark; }',
    '@media (prefers-color-scheme: dark) {',
    ...(['ground', 'card', 'button', 'notice'] as const).map(
      (name) => `.${name} { background-color: ${COLOURS[name][1]} !important; }`,
    ),
    ...(['text', 'quiet', 'accent', 'good', 'bad'] as const).map(
      (name) => `.${name} { color: ${COLOURS[name][1]} !important; }`,
    ),
    `.line { border-color: ${COLOURS.line[1]} !important; }`,
    `.bar { background-color: ${COLOURS.accent[1]} !important; }`,
    ...(accent === null ? [] : accentedInDark(accent)),
    '}',
    '@media (max-width: 480px) { .card { padding: 20px 16px !important; } .page { padding: 0 !important; } }',
  ].join('\n');

/** White on the button is read as well as the accent on white. */
function accentedInDark(accent: string): string[] {
  const lighter = onDark(accent);
  return [
    `.accent { color: ${lighter} !important; }`,
    `.bar { background-color: ${lighter} !important; }`,
    `.button { background-color: ${accent} !important; }`,
  ];
}

const text = (size: string, line: string) => ({ fontFamily: FONT, fontSize: size, lineHeight: line });

/** From left to right, in the colours of the product. */
const STYLES = {
  body: { margin: '0', padding: '0', backgroundColor: light('ground'), color: light('text'), ...text('15px', '22px') },
  preheader: { display: 'none', maxHeight: '0', overflow: 'hidden' },
  outer: { width: '100%', backgroundColor: light('ground') },
  page: { padding: '24px 12px' },
  inner: { width: '100%', maxWidth: '600px' },
  card: {
    padding: '28px 32px',
    backgroundColor: light('card'),
    border: `1px solid ${light('line')}`,
    borderRadius: '10px',
    color: light('text'),
    ...text('15px', '22px'),
  },
  title: { margin: '0', ...text('22px', '28px'), fontWeight: '700', overflowWrap: 'anywhere', color: light('text') },
  week: { margin: '2px 0 0', color: light('quiet') },
  paragraph: { margin: '16px 0 0', color: light('text') },
  notice: { margin: '16px 0 0', padding: '8px 12px', borderRadius: '6px', backgroundColor: light('notice') },
  hero: { margin: '20px 0 0', ...text('40px', '46px'), fontWeight: '700', color: light('text') },
  heroName: { margin: '0', color: light('text') },
  heading: { margin: '28px 0 8px', ...text('16px', '22px'), fontWeight: '700', color: light('text') },
  rows: { width: '100%', borderCollapse: 'collapse', ...text('15px', '22px'), color: light('text') },
  figures: { marginTop: '16px' },
  name: {
    padding: '7px 12px 7px 0',
    borderTop: `1px solid ${light('line')}`,
    textAlign: 'left',
    fontWeight: '400',
    verticalAlign: 'top',
    color: light('text'),
  },
  value: {
    padding: '7px 12px 7px 0',
    borderTop: `1px solid ${light('line')}`,
    textAlign: 'left',
    fontWeight: '400',
    verticalAlign: 'top',
    width: '100%',
    overflowWrap: 'anywhere',
    wordBreak: 'break-word',
    color: light('text'),
  },
  number: {
    padding: '7px 0',
    borderTop: `1px solid ${light('line')}`,
    textAlign: 'right',
    verticalAlign: 'top',
    whiteSpace: 'nowrap',
    fontWeight: '700',
    color: light('text'),
  },
  change: {
    padding: '7px 12px 7px 0',
    borderTop: `1px solid ${light('line')}`,
    textAlign: 'right',
    verticalAlign: 'top',
    color: light('quiet'),
  },
  day: {
    padding: '3px 12px 3px 0',
    textAlign: 'left',
    fontWeight: '400',
    whiteSpace: 'nowrap',
    color: light('quiet'),
  },
  chart: { width: '100%', padding: '3px 0' },
  bar: { height: '14px', backgroundColor: light('accent'), borderRadius: '3px', fontSize: '0', lineHeight: '14px' },
  count: { padding: '3px 0 3px 12px', textAlign: 'right', whiteSpace: 'nowrap', color: light('text') },
  action: { margin: '28px 0 0' },
  button: {
    display: 'inline-block',
    padding: '10px 18px',
    borderRadius: '6px',
    backgroundColor: light('button'),
    color: '#ffffff',
    fontWeight: '700',
    textDecoration: 'none',
  },
  footer: { margin: '20px 0 0', ...text('13px', '19px'), color: light('quiet'), overflowWrap: 'anywhere' },
  link: { color: light('accent') },
  quiet: { color: light('quiet') },
  good: { color: light('good') },
  bad: { color: light('bad') },
  brand: { margin: '0 0 20px', ...text('15px', '40px'), fontWeight: '700', color: light('text') },
  logo: { maxHeight: '40px', maxWidth: '50%', verticalAlign: 'middle', border: '0' },
  mark: { margin: '0 0 20px', backgroundColor: MARK.history, borderRadius: '8px' },
  markCell: { height: '23px', padding: '0', verticalAlign: 'bottom', fontSize: '0', lineHeight: '0' },
} as const;

/** The inline styles of a mail, by element. */
export type Styles = Readonly<Record<keyof typeof STYLES, Readonly<Record<string, string>>>>;

/** The styles for a direction of text, with the accent of an account. */
export function stylesFor(direction: Locale['direction'], accent: string | null): Styles {
  const coloured: Styles = accent === null ? STYLES : { ...STYLES, ...accented(accent) };
  if (direction === 'ltr') return coloured;
  const mirror = (style: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(style).map(([name, value]) => [name, mirrored(name, value)]));
  const { mark, markCell, ...others } = coloured;
  const turned = Object.fromEntries(Object.entries(others).map(([name, style]) => [name, mirror(style)]));
  return { ...coloured, ...turned };
}

function accented(accent: string) {
  return {
    bar: { ...STYLES.bar, backgroundColor: accent },
    button: { ...STYLES.button, backgroundColor: accent },
    link: { color: accent },
  };
}

/** Few mail programs know logical properties. */
function mirrored(name: string, value: string): string {
  if (name === 'textAlign') return value === 'left' ? 'right' : 'left';
  const [top, right, bottom, left] = value.split(' ');
  return name === 'padding' && left !== undefined ? [top, left, bottom, right].join(' ') : value;
}
