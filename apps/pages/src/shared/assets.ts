import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serveFixed } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const style = readAsset('style.css', 'text/css; charset=utf-8', compactStyle);
const ownerStyle = readAsset('owner.css', 'text/css; charset=utf-8', compactStyle);
const icon = readAsset('icon.svg', 'image/svg+xml');
const land = readAsset('land.svg', 'image/svg+xml');
const copyScript = readAsset('copy.js', 'text/javascript; charset=utf-8');
const menuScript = readAsset('menus.js', 'text/javascript; charset=utf-8');
const importScript = readAsset('imports.js', 'text/javascript; charset=utf-8');
const passkeyScript = readAsset('passkeys.js', 'text/javascript; charset=utf-8');
const zoneScript = readAsset('zone.js', 'text/javascript; charset=utf-8');
const chartScript = readAsset('chart.js', 'text/javascript; charset=utf-8');
const liveScript = readAsset('live.js', 'text/javascript; charset=utf-8');
const waitingScript = readAsset('waiting.js', 'text/javascript; charset=utf-8');

/** The addresses of the files. The pages work without their scripts. */
export const ASSETS = {
  style: style.path,
  ownerStyle: ownerStyle.path,
  icon: icon.path,
  land: land.path,
  copyScript: copyScript.path,
  menuScript: menuScript.path,
  importScript: importScript.path,
  passkeyScript: passkeyScript.path,
  chartScript: chartScript.path,
  liveScript: liveScript.path,
  waitingScript: waitingScript.path,
  zoneScript: zoneScript.path,
};

/**
 * Serves the files that the pages refer to. Their addresses change with their content, so caches may keep them for
 * ever.
 */
export function assetRoutes(scope: FastifyInstance): void {
  for (const { path, type, text } of [
    style,
    ownerStyle,
    icon,
    land,
    copyScript,
    menuScript,
    importScript,
    passkeyScript,
    chartScript,
    liveScript,
    waitingScript,
    zoneScript,
  ]) {
    scope.get(path, serveFixed({ type, caching: 'public, max-age=31536000, immutable', make: () => text }));
  }
}

function readAsset(name: string, type: string, edit = (text: string) => text): Asset {
  // The folder has the same relative path from src and dist.
  const text = edit(readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8'));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/${name.replace('.', `-${digest}.`)}`, type, text };
}

/** Removes comments, and the space around braces and semicolons. No string in the style sheets contains them. */
function compactStyle(text: string): string {
  return text.replace(/\/\*.*?\*\//gs, '').replace(/\s*([{};])\s*/g, '$1');
}
