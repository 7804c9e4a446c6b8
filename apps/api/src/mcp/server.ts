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
import { TOOLS, type ToolRequest } from './tools.ts';

/** Sends a request to the API with the key of the current request. */
export type AskApi = (request: Exclude<ToolRequest, { fault: string }>) => Promise<{ status: number; text: string }>;

const SCHEME = 'hitherto://websites/';
const JSON_TYPE = 'application/json';

/** Responds to one request of the protocol; nothing is kept between two. */
export async function respondToMcp(request: Request, body: unknown, version: string, ask: AskApi): Promise<Response> {
  const server = createMcpServer(version, ask);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function createMcpServer(version: string, ask: AskApi): Server {
  const server = new Server({ name: 'hitherto', version }, { capabilities: { tools: {}, resources: {} } });

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { description, properties, required }]) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, properties, required: [...required], additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }));

  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
    const unknown = Object.keys(args).find((argument) => !Object.hasOwn(tool.properties, argument));
    if (unknown !== undefined) return failure(`The arguments are ${Object.keys(tool.properties).join(', ')}.`);
    const missing = tool.required.find((argument) => typeof args[argument] !== 'string');
    if (missing !== undefined) return failure(`The argument "${missing}" is required, and must be a string.`);
    const request = tool.requestOf(args);
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

async function read<Body>(ask: AskApi, path: string): Promise<Body> {
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
