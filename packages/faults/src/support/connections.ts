import { readFileSync } from 'node:fs';

/** Always the built one: the program runs on every Node.js that Hitherto does. */
const RECORDER = new URL('../../dist/support/record-connections.js', import.meta.url);

/** What all programs of the run have connected to. */
export const connectionsWatch = { programs: 0, connections: 0, found: [] as string[] };

/** What makes a program write down its connections. */
export function recording(file: string): { args: string[]; env: Record<string, string> } {
  return { args: ['--import', RECORDER.href], env: { FAULTS_CONNECTIONS_FILE: file } };
}

/** Counts what a program has connected to; anything but its database, or this machine without one, is a finding. */
export function checkConnections(file: string, databaseUrl: string | undefined): void {
  const database = databaseUrl === undefined ? undefined : new URL(databaseUrl);
  connectionsWatch.programs += 1;
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // It has made no connection.
  }
  for (const line of text.split('\n').filter((entry) => entry !== '')) {
    connectionsWatch.connections += 1;
    const [address = '', port = ''] = line.split(' ');
    const isDatabase = database !== undefined && ['127.0.0.1', '::1'].includes(address) && port === database.port;
    if (!isDatabase) connectionsWatch.found.push(line);
  }
}
