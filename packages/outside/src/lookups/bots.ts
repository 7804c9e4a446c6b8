import { getPattern, isbot } from 'isbot';

/** The name of an engine, or of a browser with its own engine, or a token of old phones and televisions. Every browser has one. */
const BROWSER =
  /mozilla|opera|gecko|khtml|webkit(?!\.)|trident|msie|safari|brows|webview|midp|ucweb|netfront|dolphin|dolfin|midori|mosaic|links|lynx|w3m|dillo|netsurf|netscape|omniweb|icab|voyager|aweb|nintendo|hbbtv|fbav|fb_iab/i;

/** Engines of today and of the last decades. */
const ENGINE = /gecko|khtml|webkit(?!\.)|trident|msie|presto|opera/i;

/** HTTP clients of systems that call themselves like a browser, but name no engine. */
const CLIENT = /\b(?:cfnetwork|dalvik|(?:windows)?powershell|ms-office)\b/i;

/** Monitors that drive a browser, and add their name to its own. */
const MONITOR = /\b(?:assetnote|checkly|dynatrace|gtmetrix|miniature\.io|thousandeyes|ylt)\b/i;

/** A browser that `isbot` takes for a crawler of the same name. */
const DILLO = /^Dillo\/[\d.]+$/;

/**
 * Recognizes bots: the ones that `isbot` knows, probes of orchestrators and monitors, and HTTP clients that
 * are not a browser. A test holds it against public lists of browsers and of bots.
 */
export function isBot(userAgent: string): boolean {
  return (
    (isbot(userAgent) && !DILLO.test(userAgent)) ||
    !BROWSER.test(userAgent) ||
    (CLIENT.test(userAgent) && !ENGINE.test(userAgent)) ||
    MONITOR.test(userAgent)
  );
}

/** The patterns that recognize bots: as long as they are the same, the same user agents are bots. */
export function botPatterns(): string {
  return [getPattern(), BROWSER, ENGINE, CLIENT, MONITOR, DILLO].map(({ source }) => source).join('\n');
}
