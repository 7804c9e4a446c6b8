import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '@hitherto/domain/base';
import { addDays, type Day, lastDayOnEarth } from '@hitherto/domain/calendar';
import { compileSettings, createVisitors } from '@hitherto/domain/hits';
import {
  daysOfOtherImports,
  type LineReason,
  type LogCheckpoint,
  type LogDependencies,
  type LogFiles,
  type LogSummary,
  type LogWebsite,
  newLogSummary,
  patientLogs,
  readLog,
  type WebsiteOfLog,
} from '@hitherto/domain/imports';
import type { Context } from '../cli/context.ts';
import { withDatabase } from '../cli/with-database.ts';
import type { OpenedDatabase } from '../installation/database.ts';
import { loadSettings } from '../installation/settings.ts';
import { firstSalt } from '../jobs/statistics-jobs.ts';
import { findLogWebsites } from './find-website.ts';
import { groupsOf } from './groups.ts';
import type { LogOptions } from './log-options.ts';
import { requireHosts } from './require-hosts.ts';
import { tellSummary } from './summary.ts';

/** How often a log that is followed is looked at. */
const FOLLOW_MS = 1_000;
/** How often the settings of websites are read again. */
const SETTINGS_MS = 10_000;

/** Reads logs, and goes on until the process is told to stop. */
export async function followLogs(context: Context, paths: readonly string[], options: LogOptions): Promise<void> {
  const follow = async (database: OpenedDatabase) => {
    const stop = new AbortController();
    void context.stopped().then(() => stop.abort(new Error('stopped')));
    const files = await context.openLogFiles();
    await tellMissing(context, files, paths);
    const summary = newLogSummary();
    const run = await openRun(context, database, options, summary);
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
          log.from = await readOnce(files, deps, all, log, options, stop.signal);
          log.state = state;
        });
      }
      await sleep(FOLLOW_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    tellSummary(context, [summary], [], options);
  };
  await withDatabase(context, follow, 'companion');
}

/** Names the files that are not there yet: a server may still write them, or the name may be wrong. */
async function tellMissing(context: Context, files: LogFiles, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await files.stateOf([path]).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      context.tell(`There is no file ${path} yet: it is read once it is there.\n`);
    });
  }
}

async function openRun(context: Context, database: OpenedDatabase, options: LogOptions, summary: LogSummary) {
  const settings = loadSettings(context.env);
  const lookups = await context.openLookups(settings);
  const visitors = createVisitors(database.salts, context.randomBytes);
  const { now, randomBytes } = context;
  const logs = patientLogs(database.logs);
  const checked = new Set<string>();
  /** The imports whose days have been told. */
  const told = new Set<string>();
  let keptFrom: Day | undefined;
  return {
    async dependencies(): Promise<LogDependencies> {
      visitors.forgetBefore(firstSalt(now()));
      const { website, also = false } = options;
      const find = await findLogWebsites(database, {
        website,
        also,
        checked,
        zone: settings.timeZone,
        now,
      });
      const retained = addDays(lastDayOnEarth(now()), -settings.hitsRetentionDays);
      keptFrom = await database.maintenance.keptFrom().catch((error: unknown) => {
        // Lines are read while the engine is away, as hits are taken.
        if (!isUnavailable(error)) throw error;
        return keptFrom;
      });
      const opened = new Map<WebsiteOfLog, LogWebsite>();
      const open = async (found: WebsiteOfLog) => {
        const imported = also ? undefined : await daysOfOtherImports(database.imports, found.website.id);
        const leaveOut = (day: Day): LineReason | undefined => {
          // Days whose hits are deleted count no more hits, even if the retention is longer now.
          if (day < retained || (keptFrom !== undefined && day < keptFrom)) return 'too_old';
          const importId = imported?.get(day);
          if (importId === undefined) return undefined;
          if (!told.has(importId)) {
            context.tell(`Lines of days that import ${importId} covers do not count without --also.\n`);
          }
          told.add(importId);
          return 'imported';
        };
        const compiled = compileSettings(found.website, settings.timeZone);
        const website: LogWebsite = { url: found.website.url, settings: compiled, summary, leaveOut, logs };
        opened.set(found, website);
        return website;
      };
      return {
        lookups,
        visitors,
        summary,
        now,
        randomBytes,
        find: (host) => {
          const found = find(host);
          if (found === undefined) return undefined;
          if (found instanceof Promise) return found.then((entry) => entry && (opened.get(entry) ?? open(entry)));
          return opened.get(found) ?? open(found);
        },
      };
    },
  };
}

async function readOnce(
  files: LogFiles,
  deps: LogDependencies,
  paths: readonly string[],
  log: { readonly name: string; readonly from: LogCheckpoint | undefined },
  { format, website }: LogOptions,
  signal: AbortSignal,
): Promise<LogCheckpoint | undefined> {
  const opened = await files.open(paths, format);
  if (opened === undefined) return log.from;
  try {
    if (website === undefined) requireHosts(opened);
    return await readLog(deps, { ...log, ...opened }, signal);
  } finally {
    await opened.close();
  }
}

/** Rotation renames and compresses files while they are looked at, and the database may be away for a while. */
function isPassing(error: unknown): boolean {
  if (isUnavailable(error)) return true;
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
