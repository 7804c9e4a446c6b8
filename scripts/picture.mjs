// Makes docs/statistics-page.png, the picture of the README: the page of the demo, served by the program itself.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pnpm } from './pnpm.mjs';

const PORT = '3999';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'apps/hitherto/dist/main.js');
const picture = join(root, 'docs/statistics-page.png');
const filters = ['--filter=@hitherto/program', '--filter=@hitherto/testing'];

const built = pnpm(['exec', 'turbo', 'run', 'build', ...filters, '--output-logs=errors-only', '--log-prefix=none'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (built.status !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'hitherto-picture-'));
const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT, LOG_LEVEL: 'error' };
const service = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 2, 2] });
try {
  await untilReady();
  const { status, stdout } = spawnSync(process.execPath, [main, 'demo'], { env, stdio: ['ignore', 'pipe', 2] });
  if (status !== 0) throw new Error('The demo cannot be added.');
  await take(stdout.toString().trim());
} finally {
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function untilReady() {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error('The service is not ready after a minute.');
}

/** @param {string} url */
async function take(url) {
  const { startBrowser } = await import(pathToFileURL(join(root, 'packages/testing/dist/browser.js')).href);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, deviceScaleFactor: 1.5 });
    await page.goto(url);
    await page.screenshot({ path: picture, fullPage: true });
  } finally {
    await browser.close();
  }
}
