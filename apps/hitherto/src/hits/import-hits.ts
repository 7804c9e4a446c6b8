import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { countOf } from '@hitherto/domain/format';
import {
  addImport,
  type Import,
  type ImportContent,
  type ImportCounts,
  type ImportFormat,
  type ImportProblem,
  InvalidFile,
  previewImport,
  runImport,
} from '@hitherto/domain/imports';
import { readZoneName } from '@hitherto/domain/websites';
import { type ReceivedFile, receiveFile, removeAbandonedFolders } from '@hitherto/http';
import { ENGLISH } from '@hitherto/words';
import type { Context, DatabaseToImport } from '../cli/context.ts';
import { PIPE } from '../cli/file-name.ts';
import { requireWebsite } from '../cli/require-website.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';
import { progressOf } from './progress.ts';

export interface ImportCommandOptions {
  readonly website: string;
  readonly format: ImportFormat | 'auto';
  readonly timeZone?: string;
  readonly until?: string;
  readonly dryRun?: true;
  readonly keepGoing?: true;
  readonly fromDatabase?: string;
  readonly sourceWebsite?: string;
}

/** Imports a file, or a database, into a website, and tells the result. */
export async function importHits(
  context: Context,
  name: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const zone = readZoneName(options.timeZone ?? null);
  if ('fault' in zone) throw new Error(`--time-zone: ${zone.fault.detail}`);
  const stop = new AbortController();
  void context.stopped().then(() => stop.abort(new Error('The command was stopped. Nothing was imported.')));
  const open = await openerOf(context, name, { ...options, zone: zone.value ?? undefined }, stop.signal);
  try {
    const settings = loadSettings(context.env);
    await withDatabase(context, async (database) => {
      stop.signal.throwIfAborted();
      const { accountId, website } = await requireWebsite(database.directory, options.website);
      const key = { accountId, websiteId: website.id };
      const { content, sha256 } = await open.of(website.url);
      const lookups = await context.openLookups(settings);
      const deps = { ...context, ...database, lookups, zone: settings.timeZone };
      const run = { signal: stop.signal, onProgress: progressOf(context, 'rows') };
      const limits = { until: options.until, keepGoing: options.keepGoing === true };
      if (options.dryRun) {
        const counts = await previewImport(deps, key, content, limits, run);
        context.tell(`${summaryOf(counts)}Nothing was stored.\n`);
        return;
      }
      const { imported, isNew } = await addImport(deps, key, content, sha256);
      if (!isNew) return tellEarlier(context, name === undefined ? 'database' : 'file', imported);
      const ended = await runImport(deps, key, imported, content, limits, run);
      if (ended.problem !== null) throw errorOf(ended.problem);
      context.print(`${ended.id}\n`);
      context.tell(`${summaryOf(ended)}To remove them again, delete import ${ended.id}.\n`);
    });
  } catch (error) {
    throw error instanceof InvalidFile && name !== undefined ? new InvalidFile(`${name}: ${error.message}`) : error;
  } finally {
    await open.close();
  }
}

function errorOf({ code, detail }: ImportProblem): Error {
  return code === 'invalid_file' ? new InvalidFile(detail) : new Error(detail);
}

/** The rows to import, and their identity. */
interface Opened {
  readonly content: ImportContent;
  readonly sha256: string;
}

interface Opener {
  /** @param url of the website that it is imported into */
  readonly of: (url: string) => Promise<Opened>;
  readonly close: () => Promise<void>;
}

async function openerOf(
  context: Context,
  name: string | undefined,
  { format, zone, fromDatabase, sourceWebsite }: ImportCommandOptions & { readonly zone: string | undefined },
  signal: AbortSignal,
): Promise<Opener> {
  if (name === undefined) {
    let database: DatabaseToImport | undefined;
    return {
      of: async (url) => {
        database = await context.openUmamiDatabase(fromDatabase ?? '', { url, websiteId: sourceWebsite });
        return { content: database, sha256: database.sha256 };
      },
      close: async () => database?.close(),
    };
  }
  const file = await openFile(context, name, signal);
  return {
    of: async (url) => ({
      content: await context.importFiles.open(file.path, { format, zone, url }),
      sha256: file.sha256,
    }),
    close: () => file.remove(),
  };
}

type FileToRead = Pick<ReceivedFile, 'path' | 'sha256' | 'remove'>;

async function openFile(context: Context, name: string, signal: AbortSignal): Promise<FileToRead> {
  try {
    // A ZIP is not read from its start, so standard input becomes a file.
    if (name === PIPE) {
      await removeAbandonedFolders(context.now());
      return await receiveFile(addAbortSignal(signal, context.input()), Number.POSITIVE_INFINITY);
    }
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(name, { signal })) hash.update(chunk);
    return { path: name, sha256: hash.digest('hex'), remove: async () => {} };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function tellEarlier(context: Context, what: 'database' | 'file', { id, status }: Import): void {
  context.print(`${id}\n`);
  context.tell(
    status === 'done'
      ? `This ${what} is imported already, as import ${id}.\n`
      : `This ${what} is being imported by another process, as import ${id}.\n`,
  );
}

/** A sentence, and lines for the rows that are left out; another sentence can follow. */
function summaryOf({ hits, days, from, to, rows, skipped, notes = [] }: ImportCounts): string {
  const period =
    from === null || to === null
      ? 'No hit counts'
      : `${countOf(hits, 'hit', 'hits')} on ${countOf(days, 'day', 'days')}, ${from} to ${to}`;
  const left = skipped.map(
    ({ reason, rows: count, example }) => `\n  ${ENGLISH.format.count(count)} ${reason}, the first: ${example}`,
  );
  return `${period}, of ${countOf(rows, 'row', 'rows')}. ${left.length > 0 ? `Left out:${left.join('')}\n` : ''}${notes.map((note) => `${note}\n`).join('')}`;
}
