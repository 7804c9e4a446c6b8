import type { HitLookups } from '@hitherto/domain/hits';
import { BROWSERS, DESKTOP_SYSTEMS, PHONE_SYSTEMS, SYSTEMS } from '@hitherto/domain/hits';
import { UAParser } from 'ua-parser-js';

type DeviceNames = ReturnType<HitLookups['deviceOf']>;

/** Browsers that exist for iPadOS and not for macOS: a user agent that names both requests desktop pages. */
const IPAD_AS_MAC = /\(Macintosh;.+\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|GSA|Mobile)\/\d/;

/** A longer user agent is read from its beginning. */
const MAX_LENGTH = 500;

/** Names the browser, system and kind of device behind a user agent; only names on the closed lists come out. */
export function readDevice(agent: string): DeviceNames {
  const userAgent = agent.slice(0, MAX_LENGTH);
  const parsed = UAParser(userAgent);
  const system = SYSTEMS.get(parsed.os.name?.toLowerCase() ?? '') ?? null;
  if (system === 'macOS' && IPAD_AS_MAC.test(userAgent)) {
    return { browser: browserOf(parsed.browser.name, 'iOS'), os: 'iOS', device: 'tablet' };
  }
  return {
    browser: browserOf(parsed.browser.name, system),
    os: system,
    device: deviceOf(parsed.device.type, system),
  };
}

function browserOf(name: string | undefined, system: string | null): string | null {
  // Apps on iOS show pages in a view that names only its engine.
  if (name === 'WebKit' && system === 'iOS') return 'WKWebView';
  return BROWSERS.get(name?.toLowerCase() ?? '') ?? null;
}

function deviceOf(type: string | undefined, system: string | null): DeviceNames['device'] {
  switch (type) {
    case 'mobile':
    case 'tablet':
      return type;
    case 'smarttv':
      return 'tv';
    case undefined:
      if (system === null) return 'other';
      if (DESKTOP_SYSTEMS.has(system)) return 'desktop';
      return PHONE_SYSTEMS.has(system) ? 'mobile' : 'other';
    default:
      return 'other';
  }
}
