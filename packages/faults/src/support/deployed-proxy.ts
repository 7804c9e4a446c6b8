import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { certificate } from '@hitherto/testing/certificate';
import { newFolder } from '@hitherto/testing/folder';
import { freePort } from '@hitherto/testing/free-port';
import { root } from '@hitherto/testing/machine';
import { start } from '@hitherto/testing/processes';
import { until } from './until.ts';

const HOST = 'stats.example.com';

/** A running proxy with a file of `deploy`. */
export type DeployedProxy = Awaited<ReturnType<typeof startProxy>>;

/** The missing requirement, if any. */
export function missingForProxies(): string | undefined {
  const isThere = (program: string, argument: string) => {
    try {
      execFileSync(program, [argument], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return isThere('caddy', 'version') && isThere('nginx', '-v') ? undefined : 'caddy and nginx';
}

/**
 * Runs a proxy with a file of `deploy`, with other ports, and a certificate of its own.
 *
 * @param ports the ports of instances, in place of those in the file
 */
export async function startProxy(file: string, ports: Readonly<Record<number, number>>) {
  const folder = newFolder();
  const port = await freePort();
  const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  const { cert, key } = await certificate();
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const config = readFileSync(join(root, 'deploy', file), 'utf8')
    .replace(`${HOST} {`, `${HOST}:${port} {\n\ttls ${certFile} ${keyFile}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll(/\/etc\/letsencrypt\/\S+\/(\w+)\.pem/g, (_, name) => (name === 'privkey' ? keyFile : certFile))
    .replaceAll(/127\.0\.0\.1:(300\d)/g, (_, number) => `127.0.0.1:${ports[Number(number)] ?? number}`);
  const command = file.startsWith('nginx/') ? nginx(folder.path, config) : caddy(folder.path, config);
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, XDG_DATA_HOME: folder.path };
  const child = start(command[0], command.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    output = (output + piece).slice(-4_000);
  });
  const agent = new Agent({ keepAlive: true });
  const host = `${HOST}:${port}`;
  const request = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    new Promise<{ status: number; cookie: string; text: string }>((resolve, reject) => {
      const options = { agent, method, path, port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false };
      const sent = send({ ...options, headers: { host, ...headers } }, async (response) => {
        const cookie = response.headers['set-cookie']?.join() ?? '';
        resolve({ status: response.statusCode ?? 0, cookie, text: await text(response) });
      });
      sent.on('error', reject).end(body);
    });
  await until(
    () => `the proxy does not respond: ${output}`,
    30_000,
    () =>
      request('GET', '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
  );
  return {
    origin: `https://${host}`,
    request,
    close() {
      agent.destroy();
      child.kill('SIGTERM');
      folder.close();
    },
  };
}

function caddy(folder: string, config: string): [string, ...string[]] {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${config}`);
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
}

function nginx(folder: string, config: string): [string, ...string[]] {
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  mkdirSync(join(folder, 'temporary'));
  const places = temporary.map((name) => `${name}_temp_path ${join(folder, 'temporary', name)};`).join('\n');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `daemon off;\n${user}\npid ${join(folder, 'pid')};\nevents {}\n`;
  writeFileSync(file, `${main}http {\naccess_log off;\n${places}\n${config}}\n`);
  return ['nginx', '-e', 'stderr', '-c', file];
}
