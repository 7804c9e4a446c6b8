import { isLocalAddress } from '../base/ip-address.ts';
import type { Day } from '../calendar/days.ts';
import type { CountedHit, Hit } from './hit.ts';

/**
 * What checks need to know of collected hits, and no statistics have: hosts whose hits were dropped, how visits spread over the
 * networks of their visitors, and pageviews that came again within a second.
 */
export const NOTED = ['foreign_host', 'network', 'repeated'] as const;

/** How many hits of a day have a value. */
export interface NotedHits {
  readonly websiteId: string;
  readonly day: Day;
  readonly kind: (typeof NOTED)[number];
  /** A host; `local` or the number of a group of networks; empty of repeated pageviews. */
  readonly value: string;
  readonly hits: number;
}

/** The most values of a kind that a day of a website keeps: senders choose their hosts. */
export const MAX_NOTED_VALUES = 32;
/** For how many days notes are kept. */
export const NOTED_DAYS = 35;

/** Stores notes. Methods but `add` reject with a `DomainError` of code `unavailable` while the database is away. */
export interface NotedHitsRepository {
  /**
   * Adds to a note within a second, or once the database is back. Waits for nothing and never fails. If the process is killed,
   * the last second is lost. Leaves out notes of unknown websites, and new values of a day that has {@link MAX_NOTED_VALUES}.
   */
  add(noted: NotedHits): void;

  /** The notes of a website in these days, both included, in any order. */
  list(websiteId: string, from: Day, to: Day): Promise<NotedHits[]>;

  /** Deletes the notes of days before this one. */
  deleteBefore(day: Day): Promise<void>;

  /** Deletes the notes of a deleted website. */
  deleteAll(websiteId: string): Promise<void>;
}

/** Notes what is worth knowing of the hits that a process collects. */
export interface HitNotes {
  /** @param host of the page */
  dropped(about: Pick<NotedHits, 'websiteId' | 'day'>, host: string): void;
  counted(counted: CountedHit, hit: Hit): void;
}

const REPEATED_MS = 1_000;
/** A page can keep the whole request in memory that it came with. */
const MAX_RECENT = 2_000;
/** So few that a group says nothing about a visitor, and so many that the visits of the Internet spread over them. */
const GROUPS = 16;
const MAX_HOST_LENGTH = 253;

/** Notes hits. A page that is loaded twice by one visitor is noticed where both hits come to one process. */
export function createHitNotes(noted: Pick<NotedHitsRepository, 'add'>): HitNotes {
  /** What visitors viewed last. When too many are known, all are forgotten. */
  const recent = new Map<bigint, Pick<CountedHit, 'page' | 'host' | 'time'>>();

  const isRepeated = ({ visitor, page, host, time }: CountedHit) => {
    const last = recent.get(visitor);
    if (recent.size >= MAX_RECENT) recent.clear();
    recent.set(visitor, { page, host, time });
    if (last === undefined || last.page !== page || last.host !== host) return false;
    return Math.abs(time.getTime() - last.time.getTime()) <= REPEATED_MS;
  };

  return {
    dropped({ websiteId, day }, host) {
      if (host === '' || host.length > MAX_HOST_LENGTH) return;
      noted.add({ websiteId, day, kind: 'foreign_host', value: host, hits: 1 });
    },

    counted(counted, hit) {
      if (hit.sender !== 'browser' || counted.name !== null) return;
      const { websiteId, day } = counted;
      // The first page of a visit has no referrer, or one of another site.
      if (hit.ip !== undefined && (hit.referrer === undefined || counted.referrer !== null)) {
        noted.add({ websiteId, day, kind: 'network', value: groupOf(hit.ip, websiteId), hits: 1 });
      }
      if (isRepeated(counted)) noted.add({ websiteId, day, kind: 'repeated', value: '', hits: 1 });
    },
  };
}

/** How the addresses begin that may be local: most others need no parsing. */
const MAY_BE_LOCAL = /^(?:10|100|127|169|172|192|f|:)/i;

/** The group of an address's network, a /24 or /48; `local` of an address that nobody on the Internet has. */
function groupOf(ip: string, websiteId: string): string {
  if (MAY_BE_LOCAL.test(ip) && isLocalAddress(ip)) return 'local';
  const network = ip.includes(':') ? ip.split(':', 3).join(':') : ip.slice(0, ip.lastIndexOf('.'));
  let hash = 2_166_136_261;
  for (const character of `${websiteId} ${network}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return String((hash >>> 0) % GROUPS);
}
