import { setTimeout as sleep } from 'node:timers/promises';
import {
  addDays,
  createVisitors,
  isUnavailable,
  type LogCheckpoint,
  type LogDependencies,
  type LogFiles,
  type LogSummary,
  lastDayOnEarth,
  newLogSummary,
  readLog,
} from '@hitherto/domain';
import type { Context } from '../cli/context.ts';
import type { LogOptions } from '../cli/logs.ts';
import { withDatabase } from '../cli/with-database.ts';
import type { Database } from '../database.ts';
import { loadSettings } from '../settings.ts';
import { findWebsites } from './find-website.ts';
import { describeSummary, summaryJson } from './summary.ts';

/** How often a log that is followed is looked at. */
const FOLLOW_MS = 1_000;
/** How often the settings of websites are read again. */
const SETTINGS_MS = 10_000;

/** Reads logs once, and tells what was found. */
export async function importLogs(context: Context, paths: readonly string[], options: LogOptions): Promise<void> {
  await withDatabase(context, async (database) => {
    const files = await context.openLogFiles();
    const run = await openRun(context, database, options);
    const summary = newLogSummary();
    const deps = await run.dependencies();
    for (const [name, group] of groupsOf(files, paths, options.log)) {
      // Lines that were read before need not be looked at, if they are all of one website.
      const from = options.website && (await database.logs.checkpoint(options.website.toLowerCase(), name));
      await readOnce(files, deps, group, { name, from: from || undefined }, options, summary, NEVER);
    }
    tellSummary(context, summary, options);
  });
}

/** Reads logs, and goes on until the process is told to stop. */
export async function followLogs(context: Context, paths: readonly string[], options: LogOptions): Promise<void> {
  const stop = new AbortController();
  void context.stopped().then(() => stop.abort(new Error('stopped')));
  await withDatabase(context, async (database) => {
    const files = await context.openLogFiles();
    const run = await openRun(context, database, options);
    const summary = newLogSummary();
    const followed = [...groupsOf(files, paths, options.log)].map(([name, group]) => ({
      name,
      group,
      state: '',
      from: undefined as LogCheckpoint | undefined,
    }));
    let deps = await run.dependencies();
    let readAt = performance.now();
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        if (!stop.signal.aborted && !isPassing(error)) throw error;
      }
    };
    while (!stop.signal.aborted) {
      await attempt(async () => {
        if (performance.now() - readAt <= SETTINGS_MS) return;
        deps = await run.dependencies();
        readAt = performance.now();
      });
      for (const log of followed) {
        await attempt(async () => {
          const all = await files.withRotated(log.group);
          const state = await files.stateOf(all);
          if (state === log.state) return;
          log.from = await readOnce(files, deps, all, log, options, summary, stop.signal);
          log.state = state;
        });
      }
      await sleep(FOLLOW_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    tellSummary(context, summary, options);
  });
}

const NEVER = new AbortController().signal;

async function openRun(context: Context, database: Database, options: LogOptions) {
  const settings = loadSettings(context.env);
  const lookups = await context.openLookups(settings);
  const visitors = createVisitors(database.salts, context.randomBytes);
  return {
    async dependencies(): Promise<LogDependencies> {
      return {
        logs: database.logs,
        lookups,
        visitors,
        find: await findWebsites(database, settings, { website: options.website, also: options.also === true }),
        keptFrom: addDays(lastDayOnEarth(context.now()), -settings.hitsRetentionDays),
        now: context.now,
        randomBytes: context.randomBytes,
      };
    },
  };
}

/** The files of each log. */
function groupsOf(files: LogFiles, paths: readonly string[], name: string | undefined): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = name ?? files.nameOf(path);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return groups;
}

async function readOnce(
  files: LogFiles,
  deps: LogDependencies,
  paths: readonly string[],
  log: { readonly name: string; readonly from: LogCheckpoint | undefined },
  { format }: LogOptions,
  summary: LogSummary,
  signal: AbortSignal,
): Promise<LogCheckpoint | undefined> {
  const opened = await files.open(paths, format);
  if (opened === undefined) return log.from;
  try {
    return await readLog(deps, { ...log, ...opened }, summary, signal);
  } finally {
    await opened.close();
  }
}

/** Rotation renames and compresses files while they are looked at, and the database may be away for a while. */
function isPassing(error: unknown): boolean {
  if (isUnavailable(error)) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR';
}

function tellSummary(context: Context, summary: LogSummary, { json }: LogOptions): void {
  if (json) context.print(`${JSON.stringify(summaryJson(summary))}\n`);
  else context.tell(describeSummary(summary));
}
