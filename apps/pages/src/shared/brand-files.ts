import { type AccessRepository, logoKind, onDark, readColour, TINT_PERCENT } from '@hitherto/domain/access';
import { isNotModified } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { BRAND_FILE } from './paths.ts';
import { pageNotFound } from './send-error.tsx';

const FOR_EVER = 'public, max-age=31536000, immutable';
const TYPES = { png: 'image/png', svg: 'image/svg+xml; charset=utf-8' } as const;
/** Of a logo that somebody opens as a document of its own: it loads nothing, and is of no origin. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The logos of accounts, and style sheets with their accents. Their addresses change with their content. */
export function brandFileRoutes(
  scope: FastifyInstance,
  { access }: { readonly access: Pick<AccessRepository, 'findLogo'> },
): void {
  scope.get<{ Params: { name: string } }>(BRAND_FILE, async (request, reply) => {
    const { name } = request.params;
    const colour = readColour(`#${/^accent-([\da-f]{6})\.css$/.exec(name)?.[1]}`);
    if (colour !== undefined) {
      return reply.header('cache-control', FOR_EVER).type('text/css; charset=utf-8').send(accentSheet(colour));
    }
    const kind = logoKind(name);
    const logo = kind && (await access.findLogo(name));
    if (kind === undefined || logo === undefined) throw pageNotFound();
    const etag = `"${name}"`;
    reply.headers({
      'content-security-policy': LOGO_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': FOR_EVER,
      etag,
    });
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.type(TYPES[kind]).send(Buffer.from(logo));
  });
}

/** The changes of an accent to the style sheet of all pages. */
function accentSheet(colour: string): string {
  const tint = `color-mix(in srgb, var(--accent) ${TINT_PERCENT}%, var(--card))`;
  return `.branded{--accent:light-dark(${colour},${onDark(colour)});--tint:${tint}}
@media print{.branded{--accent:${colour}}}
`;
}
