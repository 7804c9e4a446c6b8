/** Why a file is no SVG, or has what a picture does not need. `part` is the element, the attribute or the construct. */
export type SvgFault = { readonly is: 'no_image' } | { readonly is: 'unsafe'; readonly part: string };

const NAMESPACE = 'http://www.w3.org/2000/svg';
const LINKS = 'http://www.w3.org/1999/xlink';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Shapes, text and paints. Nothing that loads, runs, links, moves, or draws another element again and again. */
const ELEMENTS = words(`svg g defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient
  radialGradient stop clipPath mask`);

/** Of a presentation, as attributes and in `style`. */
const PRESENTATION =
  words(`fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display visibility overflow clip-path clip-rule mask
  mask-type stop-color stop-opacity font-family font-size font-weight font-style font-stretch font-variant text-anchor
  letter-spacing word-spacing dominant-baseline baseline-shift paint-order shape-rendering text-rendering color-rendering
  color-interpolation isolation mix-blend-mode vector-effect enable-background white-space`);

const ATTRIBUTES =
  words(`id class version baseProfile viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx
  ry fx fy fr dx dy rotate d points pathLength transform gradientUnits gradientTransform spreadMethod offset clipPathUnits
  maskUnits maskContentUnits textLength lengthAdjust role aria-label aria-hidden aria-labelledby focusable xml:space
  xml:lang lang`);

const GRADIENTS = words('linearGradient radialGradient');
const ENTITIES = words('amp lt gt quot apos');
const MAX_DEPTH = 32;

/** A comment, a tag, or text, at the place where the last one ended. */
const PART =
  /<!--(?:(?!--).)*-->|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gsy;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const DECLARATION =
  /^\ufeff?(?:<\?xml\s+version\s*=\s*["']1\.\d["'](?:\s+encoding\s*=\s*["']utf-8["'])?(?:\s+standalone\s*=\s*["']\w+["'])?\s*\?>)?\s*/i;

/** Checks a file as XML, and each element and attribute against what a picture needs. */
export function svgFault(bytes: Uint8Array): SvgFault | undefined {
  const text = decode(bytes);
  if (text === undefined || !text.includes('<svg')) return { is: 'no_image' };
  const open: string[] = [];
  let isOver = false;
  let at = DECLARATION.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) return { is: 'unsafe', part: constructAt(text, at) };
    at = PART.lastIndex;
    const [whole, closed, opened, attributes = '', slash] = part;
    if (closed !== undefined) {
      if (open.pop() !== closed) return { is: 'no_image' };
      isOver = open.length === 0;
    } else if (opened !== undefined) {
      if (isOver || (opened === 'svg') !== (open.length === 0) || open.length >= MAX_DEPTH) return { is: 'no_image' };
      const fault = elementFault(opened, attributes);
      if (fault !== undefined) return { is: 'unsafe', part: fault };
      if (slash === '') open.push(opened);
      else isOver = open.length === 0;
    } else if (!whole.startsWith('<!--')) {
      if (open.length === 0 && whole.trim() !== '') return { is: 'no_image' };
      const entity = unknownEntity(whole);
      if (entity !== undefined) return { is: 'unsafe', part: entity };
    }
  }
  return isOver ? undefined : { is: 'no_image' };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // XML allows no others.
    return /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The element or attribute of a tag that is not allowed. */
function elementFault(element: string, attributes: string): string | undefined {
  if (!ELEMENTS.has(element)) return `<${element}>`;
  const seen = new Set<string>();
  for (const [, name = '', quoted, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = quoted ?? single ?? '';
    if (seen.has(name) || !isAllowed(element, name, value) || unknownEntity(value) !== undefined) return name;
    seen.add(name);
  }
  return element === 'svg' && !seen.has('xmlns') ? 'xmlns' : undefined;
}

function isAllowed(element: string, name: string, value: string): boolean {
  if (name === 'xmlns') return value === NAMESPACE;
  if (name === 'xmlns:xlink') return value === LINKS;
  if (name === 'href' || name === 'xlink:href') return GRADIENTS.has(element) && /^#[\w.-]+$/.test(value);
  if (name === 'style') return value.split(';').every(isAllowedStyle);
  if (PRESENTATION.has(name)) return isPlain(value);
  return (ATTRIBUTES.has(name) || /^data-[a-z-]+$/.test(name)) && isPlain(value);
}

function isAllowedStyle(declaration: string): boolean {
  const [, property = '', value = ''] = /^\s*([a-z-]*)\s*:?(.*)$/s.exec(declaration) ?? [];
  if (property === '') return declaration.trim() === '';
  return PRESENTATION.has(property) && isPlain(value);
}

/** A value that refers to nothing but the picture's own paints, and hides nothing in escapes. */
function isPlain(value: string): boolean {
  const rest = value.replaceAll(/url\(\s*(?:#[\w.-]+|'#[\w.-]+'|"#[\w.-]+"|&quot;#[\w.-]+&quot;)\s*\)/g, '');
  return !/[\\@]|url|image|expression|script|\/\*|:\/\/|&#/i.test(rest);
}

/** A reference to an entity that XML does not define itself, or an ampersand that begins none. */
function unknownEntity(text: string): string | undefined {
  for (const [whole, name] of text.matchAll(/&(#\d{1,7}|#x[\da-fA-F]{1,6}|[\w.-]*);?/g)) {
    if (!whole.endsWith(';') || !(name?.startsWith('#') || ENTITIES.has(name ?? ''))) return '&';
  }
  return undefined;
}

/** The construct where no tag, text or comment is. */
function constructAt(text: string, at: number): string {
  return /^<[!?]?[\w[:.-]{0,20}/.exec(text.slice(at, at + 24))?.[0] ?? '<';
}
