// What tokens are for. Apart from them, since the command line names it before anything else is loaded.

/**
 * What a token opens. `mcp`: the MCP endpoint. `metrics`: the numbers for Prometheus. `api-read`: all of the API that only reads, and the
 * numbers. `api`: that, calls of tools, commands and conversations, and starting and stopping plugins.
 */
export const tokenPurposes = ['mcp', 'metrics', 'api-read', 'api'] as const;

export type TokenPurpose = (typeof tokenPurposes)[number];
