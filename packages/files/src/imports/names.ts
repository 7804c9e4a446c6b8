import { BROWSERS, SYSTEMS } from '@hitherto/domain/files';
import type { Device } from '@hitherto/domain/hits';

/** Names of other products that differ from the names of ua-parser-js. */
const OTHER_BROWSERS: Readonly<Record<string, string>> = {
  'chrome mobile': 'Chrome',
  'chrome mobile ios': 'Chrome',
  'chromium-webview': 'Android WebView',
  crios: 'Chrome',
  'edge-chromium': 'Edge',
  'edge-ios': 'Edge',
  fxios: 'Firefox',
  'firefox mobile': 'Firefox',
  'firefox mobile ios': 'Firefox',
  ios: 'Safari',
  'ios-webview': 'Safari',
  'microsoft edge': 'Edge',
  'mobile app': 'Safari',
  samsung: 'Samsung Internet',
  'samsung browser': 'Samsung Internet',
  yandexbrowser: 'Yandex Browser',
};

const OTHER_SYSTEMS: Readonly<Record<string, string>> = {
  'android os': 'Android',
  'chrome os': 'ChromeOS',
  'gnu/linux': 'Linux',
  ipados: 'iOS',
  mac: 'macOS',
  'mac os': 'macOS',
  'mac os x': 'macOS',
  macos: 'macOS',
  'os x': 'macOS',
  ubuntu: 'Linux',
};

const BROWSER_NAMES = allNames(BROWSERS, OTHER_BROWSERS);
const SYSTEM_NAMES = allNames(SYSTEMS, OTHER_SYSTEMS);

/** The name of a browser as Hitherto has it, without version; `null` for one that is on no list. */
export function browserNamed(text: string | undefined): string | null {
  return named(text, BROWSER_NAMES);
}

/** The name of an operating system likewise. */
export function systemNamed(text: string | undefined): string | null {
  if (/^windows(?! phone)/i.test(text ?? '')) return 'Windows';
  return named(text, SYSTEM_NAMES);
}

const DEVICES: ReadonlyMap<string, Device> = new Map([
  ['desktop', 'desktop'],
  ['laptop', 'desktop'],
  ['mobile', 'mobile'],
  ['phone', 'mobile'],
  ['smartphone', 'mobile'],
  ['phablet', 'mobile'],
  ['feature phone', 'mobile'],
  ['tablet', 'tablet'],
  ['tv', 'tv'],
]);

/** The kind of device with this name, in any letter case; `other` for unknown names. */
export function deviceNamed(text: string | undefined): Device {
  return DEVICES.get(text?.trim().toLowerCase() ?? '') ?? 'other';
}

/** An ISO 3166-1 alpha-2 code, also of a region: `US` of `US-TX`. Some products write `UK` for `GB`. */
export function countryNamed(text: string | undefined): string | null {
  return (
    /^([a-z]{2})(?:-|$)/i
      .exec(text?.trim() ?? '')?.[1]
      ?.toUpperCase()
      .replace(/^UK$/, 'GB')
      .replace(/^(XX|ZZ|T1)$/, '') || null
  );
}

/** The first subtag of a language. */
export function languageNamed(text: string | undefined): string | null {
  return /^([a-z]{2,3})(?:[-_]|$)/i.exec(text?.trim() ?? '')?.[1]?.toLowerCase() ?? null;
}

function named(text: string | undefined, names: ReadonlyMap<string, string>): string | null {
  return names.get(withoutVersion((text ?? '').trim()).toLowerCase()) ?? null;
}

const VERSION_CHARACTERS = '0123456789.';

/** `Firefox` of `Firefox 115`, `Mac OS` of `Mac OS 10.15`. */
function withoutVersion(name: string): string {
  let end = name.length;
  while (end > 0 && VERSION_CHARACTERS.includes(name.charAt(end - 1))) end -= 1;
  const before = name.slice(0, end).trimEnd();
  return before.length < end && end < name.length ? before : name;
}

/** All names by how they are written in lower case: their own, the names of ua-parser-js and of other products. */
function allNames(known: ReadonlyMap<string, string>, others: Readonly<Record<string, string>>) {
  const own = [...known.values()].map((name) => [name.toLowerCase(), name] as const);
  return new Map([...own, ...known, ...Object.entries(others)]);
}
