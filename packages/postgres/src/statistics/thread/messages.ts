import type { Log } from '@hitherto/domain/base';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import type { Connection } from '../../connection/settings.ts';

// The messages between a process and its thread that counts. Each call gets one response.

export type Method = keyof StatisticsRepository;

/** The methods that the thread calls for the process. */
export const METHODS: readonly Method[] = Object.keys({
  totals: true,
  series: true,
  values: true,
  overview: true,
  propertyValues: true,
  propertyNames: true,
  visitorsBetween: true,
  hasSums: true,
  firstDay: true,
  goals: true,
  funnel: true,
  conversions: true,
} satisfies Record<Method, true>) as Method[];

/** With what the thread starts. */
export interface ThreadData {
  readonly connection: Connection;
  /** The name of the zone of websites without their own. */
  readonly zone: string;
  readonly readsInactiveEngine: boolean;
}

export interface Call {
  readonly is: 'call';
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type Request = Call | { readonly is: 'close' };

export type Response =
  | { readonly is: 'result'; readonly id: number; readonly result: unknown }
  | { readonly is: 'error'; readonly id: number; readonly error: SentError }
  | { readonly is: 'log'; readonly entry: Parameters<Log> };

/** An error as a message; `code` is that of a `DomainError`. */
export interface SentError {
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}
