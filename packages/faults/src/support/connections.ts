import { readIfThere } from '@hitherto/testing/proc';

const RECORDER = new URL('./record-connections.mjs', import.meta.url);

/** All connections of all programs of the run. */
export const connectionsWatch = { programs: 0, connections: 0, found: [] as string[] };

/** Makes a program record its connections. */
export function recording(file: string): { args: string[]; env: Record<string, string> } {
  return { args: ['--import', RECORDER.href], env: { FAULTS_CONNECTIONS_FILE: file } };
}

/** Counts a program's connections. Any that is not to one of its servers, which are on this machine, is a finding. */
export function checkConnections(file: string, servers: readonly string[]): void {
  const ports = servers.map((server) => new URL(server).port);
  connectionsWatch.programs += 1;
  // A program that made no connection has no file.
  for (const line of readIfThere(file).split('\n').slice(0, -1)) {
    connectionsWatch.connections += 1;
    const [address = '', port = ''] = line.split(' ');
    const isExpected = ['127.0.0.1', '::1'].includes(address) && ports.includes(port);
    if (!isExpected) connectionsWatch.found.push(line);
  }
}
