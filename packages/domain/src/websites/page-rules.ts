import type { Words } from '@hitherto/words';
import { inWords } from '../base/errors.ts';
import { normalizeEscapes } from '../base/url.ts';
import { readExcludedParam } from './exclusions.ts';
import type { Line } from './lines.ts';

/** Shows pages that match a pattern of `like` as one page. */
export interface RenamedPages {
  readonly like: string;
  readonly becomes: string;
}

/** Shows pages without parameters; names are those of `exclude_params`. */
export interface ShortenedPages {
  readonly excludedParams: readonly string[];
}

/** How pages are shown, whatever is stored: the first rule that fits a page shows it (cleanups.md, "Page rules"). */
export type ShowingRule = RenamedPages | ShortenedPages;

/** The most rules of a website. */
export const MAX_PAGE_RULES = 20;
/** Of a pattern, and of a page, in characters. */
const MAX_LENGTH = 2_000;
const ARROW = ' => ';

/** The normal form of a rule: `/user/* => /user/:id`, or `?filter&sort*`. */
function writePageRule(rule: ShowingRule): string {
  return 'like' in rule ? `${rule.like}${ARROW}${rule.becomes}` : `?${rule.excludedParams.join('&')}`;
}

/** The rule of a line in normal form. */
export function parsePageRule(line: string): ShowingRule {
  if (line.startsWith('?')) return { excludedParams: line.slice(1).split('&') };
  const [like = '', becomes = ''] = line.split(ARROW);
  return { like, becomes };
}

/** Reads a line of page rules: a pattern and a page, or `?` and names of parameters. */
export function readPageRule(line: string): Line {
  if (line.startsWith('?')) return readParams(line.slice(1));
  const [like, becomes, ...others] = line.split(/\s*=>\s*/);
  if (like === undefined || becomes === undefined || others.length > 0) {
    return bad(({ form }) => form);
  }
  const rule = { like: normalizeEscapes(like), becomes: normalizeEscapes(becomes) };
  for (const page of [rule.like, rule.becomes]) {
    if (!/^[/*]/.test(page)) return bad(({ slash }) => slash);
    if (page.length > MAX_LENGTH || /[\s\p{Cc}\p{Cs}]/u.test(page)) {
      return bad(({ page }) => page(MAX_LENGTH));
    }
  }
  if (!rule.becomes.startsWith('/') || rule.becomes.includes('*')) return bad(({ star }) => star);
  // An escaped star stands for itself.
  const stars = rule.like.replaceAll(/\\[*\\]/g, '-').match(/\*+/g) ?? [];
  const names = rule.becomes.match(/(?<=\/):[\w-]+(?=\/|$)/g) ?? [];
  if (stars.length !== names.length) return bad(({ names }) => names);
  return { entry: writePageRule(rule) };
}

function readParams(text: string): Line {
  const names: string[] = [];
  for (const name of text.split('&').map((part) => part.trim())) {
    if (name === '') return bad(({ parameters }) => parameters);
    const read = readExcludedParam(name);
    if ('fault' in read) return read;
    names.push(read.entry);
  }
  return { entry: writePageRule({ excludedParams: [...new Set(names)] }) };
}

function bad(saying: (rules: Words['faults']['lines']['pageRules']) => string): Line {
  return { fault: { code: 'not_allowed', ...inWords(({ faults }) => saying(faults.lines.pageRules)) } };
}
