/** The major version of the embedded PostgreSQL. */
export const POSTGRES_MAJOR = '18';

/** The longest path of a socket, in bytes; systems allow 103 to 107. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** A mark on the server's command line, by which a later start recognizes a server that Hitherto started. */
export const CLUSTER_MARK = 'cluster_name=hitherto';

/**
 * How clients connect, apart from the socket's folder; the port is only part of the socket's name. The client would take what is
 * missing from the environment: PGOPTIONS, PGREPLICATION and others, which are about other servers. An empty string counts as
 * missing.
 */
export const SERVER = {
  port: 5432,
  user: 'hitherto',
  database: 'postgres',
  ssl: false,
  sslnegotiation: 'postgres',
  options: ' ',
  replication: 'false',
  client_encoding: 'utf8',
} as const;

/** The size of the server's log, in bytes, from which the next start renames it. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** The entire environment of PostgreSQL's programs. Nothing of the caller's (PGDATA, PGOPTIONS, LANG) gets in. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** The same collation on every platform: order by bytes, letter case by Unicode. */
export const INITDB_ARGUMENTS = [
  `--username=${SERVER.user}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

const serverSettings: Record<string, string> = {
  // An acknowledged write is on disk.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Reachable only through the socket, and only by the user who runs the server (and root).
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // One service with its pool, and a few commands.
  max_connections: '50',
  // Room for the websites of a large account (160 MB for a million) and their search index. A search for a frequent term
  // reads most of these blocks, and fetching a block from the system costs as much as searching it.
  shared_buffers: '256MB',
  // Queries take milliseconds; compiling them takes longer.
  jit: 'off',
  // Parallel queries need /dev/shm, which is small in containers.
  max_parallel_workers_per_gather: '0',
  // Limits the disk space of the write-ahead log.
  max_wal_size: '512MB',
  // Hits of a day that is over are deleted from pages that are written whole to the log, once after each checkpoint: they take half as much.
  wal_compression: 'pglz',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The log is about the server, never about statements: their errors go to the client only.
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_duration: 'off',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  // Recurring messages that would fill the file.
  log_checkpoints: 'off',
  log_connections: '',
  log_autovacuum_min_duration: '-1',
};

/** The server's arguments, without the folders. Later settings win, so `extra` overrides. */
export function serverArguments(extra: Record<string, string>): string[] {
  const settings = Object.entries({ ...serverSettings, ...extra });
  return [
    '-c',
    CLUSTER_MARK,
    '-p',
    String(SERVER.port),
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
