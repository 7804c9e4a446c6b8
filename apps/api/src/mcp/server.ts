import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { argumentFault, sentArguments, TOOLS, type ToolRequest } from './tools.ts';

/** Asks on behalf of the account of the current request. */
interface Asking {
  /** Sends a request to the API, with the key of the current request. */
  readonly ask: (request: Exclude<ToolRequest, { fault: string }>) => Promise<{ status: number; text: string }>;
  /** The website of the account with this id, alias, address or host. */
  readonly find: (name: string) => Promise<{ readonly id: string } | undefined>;
}

const SCHEME = 'hitherto://websites/';
const JSON_TYPE = 'application/json';
const NO_WEBSITE =
  'The account has no website with this id or domain, or several with this domain. list_websites gives their ids.';

/** Responds to one request of the protocol; no state is kept between requests. */
export async function respondToMcp(
  request: Request,
  body: unknown,
  version: string,
  asking: Asking,
): Promise<Response> {
  const failures: unknown[] = [];
  const server = createMcpServer(version, {
    ask: (asked) => asking.ask(asked).catch((error) => fail(failures, error)),
    find: (name) => asking.find(name).catch((error) => fail(failures, error)),
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (failures.length > 0) throw failures[0];
    return response;
  } finally {
    await server.close();
  }
}

/** The library would send the message of any error to the client. */
function fail(failures: unknown[], error: unknown): never {
  failures.push(error);
  throw new McpError(ErrorCode.InternalError, 'The request failed.');
}

function createMcpServer(version: string, { ask, find }: Asking): Server {
  const server = new Server({ name: 'hitherto', version }, { capabilities: { tools: {}, resources: {} } });

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { description, properties, required }]) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, properties, required: [...required], additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }));

  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
    const args = sentArguments(given);
    const fault = argumentFault(tool, args);
    if (fault !== undefined) return failure(fault);
    const website = typeof args.website === 'string' ? await find(args.website) : undefined;
    if (website === undefined && args.website !== undefined) return failure(NO_WEBSITE);
    const request = tool.requestOf({ ...args, ...(website && { website: website.id }) });
    if ('fault' in request) return failure(request.fault);
    const { status, text } = await ask(request);
    return status < 400 ? { content: [{ type: 'text', text }] } : failure(text);
  });

  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) => {
    const query = new URLSearchParams({ per_page: '100', ...(params?.cursor && { cursor: params.cursor }) });
    const { data, links }: WebsitePage = await read(ask, `/api/v1/websites?${query}`);
    const next = links.next && new URLSearchParams(links.next.split('?', 2)[1]).get('cursor');
    return {
      ...(next ? { nextCursor: next } : {}),
      resources: data.map(({ id, url }) => ({
        uri: `${SCHEME}${id}`,
        name: url,
        description: 'The settings of the website.',
        mimeType: JSON_TYPE,
      })),
    };
  });

  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (!uri.startsWith(SCHEME)) throw new McpError(ErrorCode.InvalidParams, 'There is no such resource.');
    const { data } = await read<{ data: object }>(
      ask,
      `/api/v1/websites/${encodeURIComponent(uri.slice(SCHEME.length))}`,
    );
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(data) }] };
  });

  return server;
}

interface WebsitePage {
  readonly data: readonly { readonly id: string; readonly url: string }[];
  readonly links: { readonly next: string | null };
}

async function read<Body>(ask: Asking['ask'], path: string): Promise<Body> {
  const { status, text } = await ask({ method: 'GET', path });
  if (status >= 400) throw new McpError(ErrorCode.InvalidParams, detailOf(text));
  return JSON.parse(text);
}

function detailOf(text: string): string {
  const { detail }: { detail?: unknown } = JSON.parse(text);
  return typeof detail === 'string' ? detail : 'The request failed.';
}

function failure(text: string) {
  return { isError: true, content: [{ type: 'text' as const, text }] };
}
