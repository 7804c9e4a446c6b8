import { campaignIn, fitName } from '@hitherto/domain/hits';
import type { ForeignHit } from './collect-foreign.ts';
import { stringOf } from './raw-bodies.ts';

/** Below this, the bot hint is a value that only the server sets. */
const FIRST_BOT_HINT = 150;
const MAX_PATH = 2_048;

/** The fields of a hit in the words of GoatCounter's API. */
interface GoatcounterFields {
  readonly path?: unknown;
  readonly event?: unknown;
  readonly ref?: unknown;
  readonly query?: unknown;
  readonly bot?: unknown;
  readonly user_agent?: unknown;
  readonly language?: unknown;
  readonly ip?: unknown;
  readonly created_at?: unknown;
  readonly session?: unknown;
}

/**
 * A hit as GoatCounter's script and API send it, or the reason why GoatCounter rejects it. Its events have no page, so they
 * belong to the website's address.
 */
export function readGoatcounterHit(website: string, sent: GoatcounterFields): ForeignHit | { readonly fault: string } {
  const isEvent = sent.event === true || ['true', '1', 't', 'on'].includes(stringOf(sent.event)?.toLowerCase() ?? '');
  // As in GoatCounter and its exports, the name of an event does not begin with a slash.
  const path = stringOf(isEvent ? stringOf(sent.path)?.replace(/^\/+/, '') : sent.path);
  if (path === undefined) return { fault: 'not valid: path: must be set' };
  if (path.length > MAX_PATH) return { fault: `ignored because path is longer than ${MAX_PATH} bytes` };
  const bot = (sent.bot ?? '') === '' ? 0 : Number(stringOf(sent.bot));
  if (!Number.isInteger(bot) || bot < 0 || (bot > 0 && bot < FIRST_BOT_HINT)) {
    return { fault: `wrong value: b=${Number.isNaN(bot) ? 'NaN' : bot}` };
  }
  return {
    website,
    url: isEvent ? undefined : pageOf(path, stringOf(sent.query)),
    event: {
      referrer: stringOf(sent.ref),
      ...(isEvent ? { name: fitName(path) } : {}),
      ...(bot > 0 ? { automated: true } : {}),
    },
    claims: {
      ip: stringOf(sent.ip),
      userAgent: stringOf(sent.user_agent),
      language: stringOf(sent.language),
      visitor: stringOf(sent.session),
      time: stringOf(sent.created_at),
    },
  };
}

/** The path is the page as the site wants it. Of the query of the address, only the campaign is read. */
function pageOf(path: string, query = ''): string {
  const rooted = /^(?:\/|https?:)/.test(path) ? path : `/${path}`;
  const campaign = campaignIn(query);
  if (campaign === '') return rooted;
  const separator = /^[^#]*\?/.test(rooted) ? '&' : '?';
  return rooted.replace(/#.*$|$/s, (fragment) => `${separator}${campaign}${fragment}`);
}
