import { createHash } from 'node:crypto';

/** The settings of a rival server, from its environment. */
export function settings(): { readonly databaseUrl: string; readonly port: number } {
  return { databaseUrl: process.env.DATABASE_URL ?? '', port: Number(process.env.PORT ?? 0) };
}

/** As many connections as Hitherto's pool has. */
export const POOL_SIZE = 10;

/** The stored form of the key in `Authorization: Bearer KEY`. */
export function keyHashOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !authorization.startsWith('Bearer ')) return undefined;
  return createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex');
}

export interface WebsiteRow {
  readonly id: string;
  readonly scheme: string;
  readonly address: string;
  readonly privacy: 'public' | 'private' | 'password';
  readonly password_hash: string | null;
  readonly email_reports: boolean;
  readonly exclude_bots: boolean;
  readonly excluded_params: string[];
  readonly excluded_ips: string[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The same members as in Hitherto's response. */
export function toResource(row: WebsiteRow) {
  return {
    id: row.id,
    url: `${row.scheme}://${row.address}`,
    privacy: { public: 0, private: 1, password: 2 }[row.privacy],
    has_password: row.password_hash !== null,
    email: row.email_reports ? 1 : 0,
    exclude_bots: row.exclude_bots ? 1 : 0,
    exclude_params: row.excluded_params.length === 0 ? null : row.excluded_params.join('\n'),
    exclude_ips: row.excluded_ips.length === 0 ? null : row.excluded_ips.join('\n'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
