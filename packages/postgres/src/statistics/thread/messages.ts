import type { Log } from '@hitherto/domain/base';
import type { StatisticsReads, WebsitePeriod } from '@hitherto/domain/engine';
import type { Connection } from '../../connection/settings.ts';
import type { Keeping } from '../jobs/keeping.ts';
import type { PartLimits } from '../part-limits.ts';

// The messages between a process and its threads, of which one counts and one keeps days. Each call and each reading gets one
// response. A reading begins when it is `opened`, and begins again when it is so again; its process ends it.

export type Method = keyof StatisticsReads;

/** The methods that the thread calls for the process. */
export const METHODS: readonly Method[] = Object.keys({
  totals: true,
  series: true,
  visitorsByHour: true,
  values: true,
  overview: true,
  changes: true,
  propertyValues: true,
  propertyNames: true,
  visitorsBetween: true,
  live: true,
  hasSums: true,
  hidingRules: true,
  firstDay: true,
  goals: true,
  funnel: true,
  conversions: true,
  glances: true,
} satisfies Record<Method, true>) as Method[];

/** With what a thread starts. */
export interface ThreadData {
  readonly connection: Connection;
  /** The name of the zone of websites without their own. */
  readonly zone: string;
  readonly readsInactiveEngine: boolean;
  readonly parts: PartLimits;
}

export interface Call {
  readonly is: 'call';
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
  /** The id of the reading that it belongs to. */
  readonly reading?: number;
}

/** Opens a reading. */
export interface Open {
  readonly is: 'open';
  readonly id: number;
  readonly of: WebsitePeriod;
}

/** Keeps days: a method of `Keeping`. */
export interface Keep {
  readonly is: 'keep';
  readonly id: number;
  readonly method: keyof Keeping;
  readonly args: readonly unknown[];
}

export type Request =
  | Call
  | Open
  | Keep
  | { readonly is: 'end' | 'interrupt'; readonly id: number }
  | { readonly is: 'close' };

export type Response =
  | { readonly is: 'opened'; readonly id: number }
  | { readonly is: 'result'; readonly id: number; readonly result: unknown }
  | { readonly is: 'error'; readonly id: number; readonly error: SentError }
  | { readonly is: 'log'; readonly entry: Parameters<Log> };

/** An error as a message; `code` is that of a `DomainError`. */
export interface SentError {
  /** Whether the reading begins again. */
  readonly beginsAgain?: true;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}
