// Makes the pictures of the documentation from the demo, by the program itself: docs/statistics-page.png, its page, and
// docs/report-mail.png, its weekly report.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pnpm } from './pnpm.mjs';

const PORT = '3999';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'apps/hitherto/dist/main.js');
const pictures = { page: join(root, 'docs/statistics-page.png'), mail: join(root, 'docs/report-mail.png') };
// Nothing is sent: a preview has the addresses that a mail would have.
const reports = {
  SMTP_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'Statistics <stats@example.com>',
  PUBLIC_URL: 'https://stats.example.com',
};
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
  const url = run(['demo']);
  const mail = join(folder, 'report.eml');
  run(['reports', 'preview', new URL(url).pathname.split('/').at(-1) ?? '', '--out', mail], reports);
  await take(url, await htmlOf(mail));
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

/**
 * The output of a command.
 *
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} settings
 */
function run(command, settings = {}) {
  const options = { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 2] };
  const { status, stdout } = spawnSync(process.execPath, [main, ...command], options);
  if (status !== 0) throw new Error(`This command failed: ${command.join(' ')}`);
  return stdout.toString().trim();
}

/** @param {string} file */
async function htmlOf(file) {
  const { simpleParser } = createRequire(join(root, 'packages/outside/package.json'))('mailparser');
  const { html } = await simpleParser(readFileSync(file));
  return html;
}

/**
 * @param {string} url of the page
 * @param {string} mail as HTML
 */
async function take(url, mail) {
  const { startBrowser } = await import(pathToFileURL(join(root, 'packages/testing/dist/browser.js')).href);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, deviceScaleFactor: 1.5 });
    await page.goto(url);
    await page.screenshot({ path: pictures.page, fullPage: true });
    // A page of its own: the policy of the statistics page forbids styles within the document.
    const opened = await browser.newPage({ viewport: { width: 640, height: 800 }, deviceScaleFactor: 1.5 });
    await opened.setContent(mail);
    await opened.screenshot({ path: pictures.mail, fullPage: true });
  } finally {
    await browser.close();
  }
}
