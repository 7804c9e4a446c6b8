import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

type FolderSettings = Pick<Settings, 'publicUrl' | 'databaseUrl' | 'dataDir'>;

const FILE = 'served.url';

/** Notes where people reach the service, for commands that are run without its settings. */
export async function noteServedUrl({ publicUrl, databaseUrl, dataDir }: FolderSettings, url: string): Promise<void> {
  if (databaseUrl === undefined) await writeFile(join(dataDir, FILE), `${publicUrl ?? url}\n`);
}

/** Where people reach the service that last served the embedded database; `undefined` if none has. */
export function servedUrl({ databaseUrl, dataDir }: FolderSettings): string | undefined {
  if (databaseUrl !== undefined) return undefined;
  try {
    return readFileSync(join(dataDir, FILE), 'utf8').trim();
  } catch {
    return undefined;
  }
}
