import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newDataFolder } from './data-folder.ts';
import { root } from './machine.ts';

/** The real program, with an account and its first key. */
export interface Program {
  readonly baseUrl: string;
  readonly key: string;
  /** Its data folder, for commands next to it. */
  readonly dataDir: string;
  stop(): Promise<void>;
}

/** Starts the program, as it was built last, on a database of its own; resolves when it is ready. The caller stops it. */
export async function startProgram(settings: Readonly<Record<string, string>> = {}): Promise<Program> {
  const dataDir = await newDataFolder();
  const child = spawn(process.execPath, [join(root, 'apps/hitherto/dist/main.js'), 'serve'], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...settings, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const stop = async () => {
    child.kill();
    await closed;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };

  while (!output.includes('"msg":"ready"') && child.exitCode === null) {
    await Promise.race([once(child.stdout, 'data'), closed]);
  }
  const baseUrl = /http:\/\/[^"\s]+:\d+/.exec(output)?.[0];
  const keyFile = / in (\S+first\.key)$/m.exec(output)?.[1];
  const key = keyFile && (await readFile(keyFile, 'utf8')).trim();
  if (baseUrl === undefined || key === undefined) {
    await stop();
    throw new Error(`The program did not start:\n${output}`);
  }
  return { baseUrl, key, dataDir, stop };
}
