/** The major version of the PostgreSQL that comes with Hitherto. */
export const POSTGRES_MAJOR = '18';

/** How long a socket's path may be, in bytes; systems allow 103 to 107. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** A mark on the server's command line, by which a later start knows a server of its own. */
export const CLUSTER_MARK = 'cluster_name=hitherto';

/** Names within the server; the port is only a part of the socket's name. */
export const SERVER = { port: 5432, user: 'hitherto', database: 'postgres', ssl: false } as const;

/** Bytes of the server's log file after which the next start sets it aside. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** The whole environment of the programs of PostgreSQL: nothing of the caller's (PGDATA, PGOPTIONS, LANG) gets in. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** The same order and letter case on every platform: bytes for order, Unicode for upper and lower. */
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
  // An acknowledged store is on the disk, whatever happens next.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Only through the socket, and only for the user who runs the server (and root).
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // One service with its pool and a few command lines.
  max_connections: '50',
  // The websites of a large account (160 MB for a million) and their search index: a search for a frequent term visits
  // most of these blocks, and to fetch each from the system costs as much as to look through it.
  shared_buffers: '256MB',
  // Queries here take milliseconds; compiling them takes longer.
  jit: 'off',
  // Parallel queries need room in /dev/shm, which containers keep small.
  max_parallel_workers_per_gather: '0',
  // Bounds the disk that the write-ahead log takes.
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The log tells of the server, never of what was asked: errors of statements go to the client alone.
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
  // Lines that come again and again and would fill the file.
  log_checkpoints: 'off',
  log_connections: '',
  log_autovacuum_min_duration: '-1',
};

/** The command line of the server, without the folders. Later settings win, so `extra` overrides. */
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
