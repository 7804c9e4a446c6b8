import { type Crawler, PURPOSES, type Purpose } from '@hitherto/domain/hits';
import { linesOfList } from './lists.ts';

/** The most characters of an operator that is on no list. */
const MAX_TOKEN = 64;

/** More characters of a user agent are not looked at. */
const MAX_AGENT = 1_000;

/** Product tokens that browsers have, and bots add to their own. */
const BROWSER_TOKEN =
  /^(?:mozilla|applewebkit|webkit|khtml|gecko|chrome|chromium|crios|safari|mobile|version|firefox|fxios|edge?|edga|opr|opera|presto|trident|msie|ubuntu|like|build)$/i;

/** Finds crawlers by their product tokens in the list of this package; others have their own token as operator. */
export async function loadCrawlers(): Promise<(userAgent: string) => Crawler> {
  const crawlers = parse(await linesOfList('crawlers.tsv'));
  // Of two tokens at the same place the longer one is meant: Googlebot-Image, not Googlebot.
  const tokens = [...crawlers.keys()].sort((a, b) => b.length - a.length).map(escapeExpression);
  const known = new RegExp(String.raw`(?<![a-z\d])(?:${tokens.join('|')})(?![a-z])`, 'i');

  return (text) => {
    const userAgent = text.slice(0, MAX_AGENT);
    const token = known.exec(userAgent)?.[0].toLowerCase();
    const crawler = token === undefined ? undefined : crawlers.get(token);
    return crawler ?? { operator: productOf(userAgent), purpose: 'other' };
  };
}

/** Each line is a product token, its operator, its purpose, and a page of the operator where one is known. */
function parse(lines: readonly string[]): ReadonlyMap<string, Crawler> {
  return new Map(
    lines.map((line) => {
      const [token = '', operator = '', purpose = ''] = line.split('\t');
      if (!isPurpose(purpose)) throw new Error(`crawlers.tsv names an unknown purpose: ${purpose}`);
      return [token.toLowerCase(), { operator, purpose }];
    }),
  );
}

function isPurpose(name: string): name is Purpose {
  return PURPOSES.some((purpose) => purpose === name);
}

/**
 * The product of a bot's user agent: the one that it says to be compatible as, else the first one that calls itself a bot, else
 * the first one that no browser has. It has no NUL and no lone surrogate: the database would reject it, and with it the sums of
 * other crawlers.
 */
function productOf(userAgent: string): string {
  const compatible = /compatible;\s*([^\s;/()\p{Cc}\p{Cs}]+)/iu.exec(userAgent)?.[1];
  const words = userAgent.match(/[\p{L}_][\p{L}\d._!-]*/gu) ?? [];
  const outside = userAgent.replace(/\([^)]*\)/g, ' ').match(/[\p{L}_][\p{L}\d._!-]*(?=\/|\s|$)/gu) ?? [];
  const isOwn = (token: string) => !BROWSER_TOKEN.test(token);
  const product =
    [compatible, words.find((word) => /bot|crawl|spider/i.test(word)), outside.find(isOwn), words[0]].find(
      (token) => token !== undefined && isOwn(token),
    ) ?? '';
  return product === '' ? '(unknown)' : [...product].slice(0, MAX_TOKEN).join('');
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
