// A Hitherto without the rest: holds a folder, tells on standard output what happens, and stops when its input ends.
// Arguments: `service`, `command` or `companion`, the folder, and whether the disk is waited for (`fsync=on` or `fsync=off`).
import { joinEmbeddedPostgres, joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from '../dist/index.js';

const [role, dataDir, durability] = process.argv.slice(2);
const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const start = {
  service: startEmbeddedPostgres,
  command: joinOrStartEmbeddedPostgres,
  companion: joinEmbeddedPostgres,
}[role];

try {
  const server = await start({
    dataDir,
    log: (level, message) => tell({ event: 'log', level, message }),
    onProgress: (text) => tell({ event: 'progress', text }),
    settings: durability === 'fsync=off' ? { fsync: 'off' } : {},
  });
  // Before "ready": a test may send the signal as soon as it has read that.
  process.on('SIGINT', () => tell({ event: 'interrupted' }));
  tell({ event: 'ready', connection: server.connection });
  process.stdin.resume();
  process.stdin.once('end', async () => {
    await server.stop();
    tell({ event: 'stopped' });
  });
} catch (error) {
  tell({ event: 'refused', code: error.code, message: error.message });
}
