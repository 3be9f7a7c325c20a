// The examples of the specification, message by message.
import { expect, test } from 'vitest';
import { hear, hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import { play, replyError, started } from '../../../test/support/dialect/yams/host-end.ts';
import { yams } from './host.ts';

// requirement: yams:example:complete-flow, yams:process:handshake-first, yams:process:init-second
// requirement: yams:process:operation, yams:manifest:first, yams:init:order, yams:transport:direction
// requirement: yams:supports:when, yams:extract:when, yams:request:jsonrpc, yams:request:id, yams:host:call-ids
test('example 1: the complete flow of an extraction', async () => {
  const config = { ghidra_install: '/opt/ghidra' };
  const { raw, connected } = hostAndRawEnd(yams, 'lines', { spec: { config } });
  const played = play(
    raw,
    String.raw`
    # 2. Handshake
    → {"jsonrpc":"2.0","id":1,"method":"handshake.manifest"}
    ← {"jsonrpc":"2.0","id":1,"result":{"name":"yams_ghidra","version":"0.0.1","interfaces":["content_extractor_v1"]}}
    # 3. Initialize
    → {"jsonrpc":"2.0","id":2,"method":"plugin.init","params":{"config":{"ghidra_install":"/opt/ghidra"}}}
    ← {"jsonrpc":"2.0","id":2,"result":{"status":"initialized"}}
    # 4. Check health
    → {"jsonrpc":"2.0","id":3,"method":"plugin.health"}
    ← {"jsonrpc":"2.0","id":3,"result":{"status":"ok","started":true}}
    # 5. Check support
    → {"jsonrpc":"2.0","id":4,"method":"extractor.supports","params":{"mime_type":"application/x-executable","extension":".elf"}}
    ← {"jsonrpc":"2.0","id":4,"result":{"supported":true}}
    # 6. Extract content
    → {"jsonrpc":"2.0","id":5,"method":"extractor.extract","params":{"source":{"type":"path","path":"/tmp/test.elf"},"options":{"max_functions":50}}}
    ← {"jsonrpc":"2.0","id":5,"result":{"success":true,"content":"Binary: /tmp/test.elf\n...","metadata":{"functions_count":"42"}}}
    # 7. Shutdown
    → {"jsonrpc":"2.0","id":6,"method":"plugin.shutdown"}
    ← {"jsonrpc":"2.0","id":6,"result":null}`,
  );
  const end = await connected;
  expect(end.manifest).toMatchObject({ name: 'yams_ghidra', version: '0.0.1' });
  expect(await end.health?.(1000)).toMatchObject({ status: 'ok', details: { started: true } });
  const type = { mimeType: 'application/x-executable', extension: '.elf' };
  expect(await end.extractor?.supports(type, 1000)).toEqual({ supported: true, confidence: 1 });
  const { answer } = hear((sink) =>
    end.extractor!.extract(
      { source: { kind: 'path', path: '/tmp/test.elf' }, options: { max_functions: 50 } },
      sink,
    ),
  );
  expect(await answer).toEqual({
    ok: true,
    text: 'Binary: /tmp/test.elf\n...',
    data: { metadata: { functions_count: '42' } },
  });
  await end.shutdown(1000);
  await played;
  // 8. The host ends the process, of which the dialect sees its pipe.
  end.close();
  await raw.inputEnded;
});

// requirement: yams:example:error-handling
test('example 2: a file of an unsupported type', async () => {
  const { end, raw } = await started();
  // The example begins at id 10: seven requests before it.
  for (let asked = 0; asked < 7; asked++) {
    const healthy = end.health?.(1000);
    raw.answer((await raw.nextRequest()).id, { status: 'ok' });
    await healthy;
  }
  const { answer } = hear((sink) =>
    end.extractor!.extract({ source: { kind: 'path', path: '/tmp/test.txt' } }, sink),
  );
  await play(
    raw,
    `
    → {"jsonrpc":"2.0","id":10,"method":"extractor.extract","params":{"source":{"type":"path","path":"/tmp/test.txt"}}}
    ← {"jsonrpc":"2.0","id":10,"error":{"code":-32001,"message":"Unsupported format","data":{"extension":".txt"}}}`,
  );
  expect(await answer).toEqual({
    ok: false,
    error: {
      code: 'UNSUPPORTED',
      message: 'Unsupported format',
      wireCode: -32001,
      data: { extension: '.txt' },
    },
  });
});

// requirement: yams:manifest:example-request, yams:manifest:example-response, yams:init:example-request
// requirement: yams:init:example-response, yams:health:example-request, yams:health:example-response
// requirement: yams:shutdown:example-request, yams:shutdown:example-response
test('the lifecycle methods as in their sections', async () => {
  const config = {
    ghidra_install: '/opt/ghidra',
    project_dir: '/tmp/yams-ghidra',
    max_functions: 100,
    timeout_sec: 30,
  };
  const { raw, connected } = hostAndRawEnd(yams, 'lines', { spec: { config } });
  const played = play(
    raw,
    `
    → {"jsonrpc":"2.0","id":1,"method":"handshake.manifest"}
    ← {"jsonrpc":"2.0","id":1,"result":{"name":"yams_ghidra","version":"0.0.1","description":"Ghidra binary analysis plugin","author":"YAMS Contributors","interfaces":["ghidra_analysis_v1","content_extractor_v1"],"capabilities":{"content_extraction":{"formats":["application/x-executable","application/x-sharedlib"],"extensions":[".exe",".dll",".so",".dylib",".elf"]}}}}
    → {"jsonrpc":"2.0","id":2,"method":"plugin.init","params":{"config":{"ghidra_install":"/opt/ghidra","project_dir":"/tmp/yams-ghidra","max_functions":100,"timeout_sec":30}}}
    ← {"jsonrpc":"2.0","id":2,"result":{"status":"initialized","config_applied":{"ghidra_install":"/opt/ghidra","project_dir":"/tmp/yams-ghidra-12345"}}}
    → {"jsonrpc":"2.0","id":3,"method":"plugin.health"}
    ← {"jsonrpc":"2.0","id":3,"result":{"status":"ok","started":true,"project_dir":"/tmp/yams-ghidra-12345","memory_mb":512,"uptime_sec":120}}
    → {"jsonrpc":"2.0","id":4,"method":"plugin.shutdown"}
    ← {"jsonrpc":"2.0","id":4,"result":null}`,
  );
  const end = await connected;
  expect(end.manifest).toMatchObject({
    name: 'yams_ghidra',
    version: '0.0.1',
    description: 'Ghidra binary analysis plugin',
    author: 'YAMS Contributors',
    dialect: 'yams',
    interfaces: [{ id: 'ghidra_analysis_v1' }, { id: 'content_extractor_v1' }],
    extractor: {
      formats: ['application/x-executable', 'application/x-sharedlib'],
      extensions: ['.exe', '.dll', '.so', '.dylib', '.elf'],
    },
    configApplied: { ghidra_install: '/opt/ghidra', project_dir: '/tmp/yams-ghidra-12345' },
  });
  expect(end.manifest.raw).toMatchObject({ name: 'yams_ghidra', author: 'YAMS Contributors' });
  expect(await end.health?.(1000)).toEqual({
    status: 'ok',
    details: {
      status: 'ok',
      started: true,
      project_dir: '/tmp/yams-ghidra-12345',
      memory_mb: 512,
      uptime_sec: 120,
    },
  });
  await end.shutdown(1000);
  await played;
});

const content =
  'Binary: /tmp/yams-binary-abc123\nType: ELF 64-bit LSB executable\nArchitecture: x86:LE:64:default\nEntry Point: 0x401000\n\nFunctions:\n---\nFunction: main\nAddress: 0x401000\nSize: 256 bytes\nDecompiled:\nint main(int argc, char** argv) {\n    if (argc < 2) {\n        printf("Usage: %s <input>\\n", argv[0]);\n        return 1;\n    }\n    return process_input(argv[1]);\n}\n\n---\nFunction: process_input\nAddress: 0x401100\nSize: 128 bytes\nDecompiled:\nint process_input(char* input) {\n    size_t len = strlen(input);\n    if (len > MAX_LEN) {\n        return -1;\n    }\n    return validate(input, len);\n}\n';

// requirement: yams:supports:example-request, yams:supports:example-response, yams:extract:example-request
// requirement: yams:extract:example-success, yams:extract:example-error, yams:extract:metadata, yams:extract:stats
test('the extractor methods as in their sections', async () => {
  const { end, raw } = await started();
  const extractor = end.extractor!;
  const metadata = {
    architecture: 'x86:LE:64:default',
    type: 'ELF',
    functions_count: '42',
    entry_point: '0x401000',
    extraction_method: 'ghidra_decompile',
    extraction_time_ms: '1234',
  };
  const stats = {
    functions_extracted: 42,
    functions_decompiled: 38,
    extraction_time_ms: 1234,
    decompilation_failures: 4,
  };
  const request =
    '"method":"extractor.extract","params":{"source":{"type":"path","path":"/tmp/yams-binary-abc123"},"options":{"max_functions":100,"decompile":true,"include_metadata":true,"timeout_sec":30}}';
  const played = play(
    raw,
    `
    → {"jsonrpc":"2.0","id":3,"method":"extractor.supports","params":{"mime_type":"application/x-executable","extension":".elf"}}
    ← {"jsonrpc":"2.0","id":3,"result":{"supported":true,"confidence":1.0,"method":"ghidra_decompile"}}
    → {"jsonrpc":"2.0","id":4,${request}}
    ← {"jsonrpc":"2.0","id":4,"result":${JSON.stringify({ success: true, content, metadata, stats })}}
    → {"jsonrpc":"2.0","id":5,${request}}
    ← {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"Extraction failed: Ghidra could not analyze binary","data":{"reason":"UnsupportedArchitecture","architecture":"ARM:BE:32:Cortex","partial_functions":5}}}`,
  );
  const type = { mimeType: 'application/x-executable', extension: '.elf' };
  expect(await extractor.supports(type, 1000)).toEqual({
    supported: true,
    confidence: 1,
    method: 'ghidra_decompile',
  });
  const options = { max_functions: 100, decompile: true, include_metadata: true, timeout_sec: 30 };
  const extract = () =>
    hear((sink) =>
      extractor.extract({ source: { kind: 'path', path: '/tmp/yams-binary-abc123' }, options }, sink),
    ).answer;
  expect(await extract()).toEqual({ ok: true, text: content, data: { metadata, stats } });
  expect(await extract()).toEqual({
    ok: false,
    error: {
      code: 'TOOL_FAILED',
      message: 'Extraction failed: Ghidra could not analyze binary',
      wireCode: -32000,
      data: { reason: 'UnsupportedArchitecture', architecture: 'ARM:BE:32:Cortex', partial_functions: 5 },
      reason: 'UnsupportedArchitecture',
    },
  });
  await played;
});

// requirement: yams:request:example, yams:response:success-example, yams:response:error-example
// requirement: yams:request:method, yams:request:params, yams:host:call-result, yams:host:call-error
test('messages as in the section on their format', async () => {
  const { end, raw } = await started({ spec: { methods: ['method_name'] } });
  const request = { tool: 'method_name', args: { param1: 'value1', param2: 'value2' }, timeoutMs: 1000 };
  const good = hear((sink) => end.call(request, sink));
  await play(
    raw,
    `
    → {"jsonrpc":"2.0","id":3,"method":"method_name","params":{"param1":"value1","param2":"value2"}}
    ← {"jsonrpc":"2.0","id":3,"result":{"key":"value"}}`,
  );
  expect(await good.answer).toEqual({ ok: true, data: { key: 'value' } });
  const bad = hear((sink) => end.call({ tool: 'unknown_method', args: {}, timeoutMs: 1000 }, sink));
  await play(
    raw,
    `
    → {"jsonrpc":"2.0","id":4,"method":"unknown_method","params":{}}
    ← {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found","data":{"method":"unknown_method"}}}`,
  );
  expect(await bad.answer).toEqual({
    ok: false,
    error: {
      code: 'UNKNOWN_TOOL',
      message: 'Method not found',
      wireCode: -32601,
      data: { method: 'unknown_method' },
    },
  });
});

const notInitialized = {
  code: -32003,
  message: 'Plugin not initialized. Call plugin.init first.',
  data: { reason: 'NotInitialized', required_method: 'plugin.init' },
};
const unsupported = {
  code: -32001,
  message: 'Unsupported file format: application/octet-stream',
  data: {
    reason: 'UnsupportedFormat',
    mime_type: 'application/octet-stream',
    extension: '.bin',
    supported_formats: ['application/x-executable'],
  },
};
const timeout = {
  code: -32002,
  message: 'Extraction timed out after 30 seconds',
  data: { reason: 'Timeout', timeout_sec: 30, partial_extraction: true, functions_extracted: 15 },
};
const dependency = {
  code: -32603,
  message: 'Ghidra not found. Set GHIDRA_INSTALL_DIR or provide ghidra_install in config.',
  data: {
    reason: 'DependencyMissing',
    dependency: 'ghidra',
    env_var: 'GHIDRA_INSTALL_DIR',
    config_key: 'ghidra_install',
  },
};
const structured = {
  code: -32000,
  message: 'Human-readable error message',
  data: { reason: 'ErrorCategory', details: 'Additional context', recoverable: false },
};

const scenarios = { notInitialized, unsupported, timeout, dependency };

// requirement: yams:errors:not-initialized-reason, yams:errors:not-initialized-required-method
// requirement: yams:errors:unsupported-reason, yams:errors:unsupported-mime-type
// requirement: yams:errors:unsupported-extension, yams:errors:unsupported-supported-formats
// requirement: yams:errors:timeout-reason, yams:errors:timeout-timeout-sec
// requirement: yams:errors:timeout-partial-extraction, yams:errors:timeout-functions-extracted
// requirement: yams:errors:dependency-reason, yams:errors:dependency-dependency
// requirement: yams:errors:dependency-env-var, yams:errors:dependency-config-key
test.each(
  Object.entries(scenarios).flatMap(([scenario, error]) =>
    Object.entries<unknown>(error.data).map(([field, value]) => ({ scenario, field, value, error })),
  ),
)('$field of the scenario $scenario is kept, also by itself', async ({ field, value, error }) => {
  const { end, raw } = await started();
  const { answer } = hear((sink) =>
    end.extractor!.extract({ source: { kind: 'path', path: '/tmp/a' } }, sink),
  );
  await replyError(raw, { ...error, data: { [field]: value } });
  const answered = await answer;
  const failure = answered.ok ? undefined : answered.error;
  expect(failure).toMatchObject({ wireCode: error.code, message: error.message, data: { [field]: value } });
  // What programs and people look for has a place of its own.
  expect(failure?.reason).toBe(field === 'reason' ? value : undefined);
  expect(failure?.suggestions).toEqual(
    {
      env_var: ['Set GHIDRA_INSTALL_DIR in the environment of the plugin.'],
      config_key: ['Set "ghidra_install" in the config of the plugin.'],
    }[field],
  );
});

// requirement: yams:errors:not-initialized, yams:errors:unsupported, yams:errors:timeout, yams:errors:dependency
// requirement: yams:errors:example, yams:errors:reason, yams:errors:details, yams:errors:recoverable
test.each([
  ['NOT_INITIALIZED', notInitialized, {}],
  ['UNSUPPORTED', unsupported, {}],
  ['TIMEOUT', timeout, {}],
  [
    'REQUIREMENT_MISSING',
    dependency,
    {
      suggestions: [
        'Set GHIDRA_INSTALL_DIR in the environment of the plugin.',
        'Set "ghidra_install" in the config of the plugin.',
      ],
    },
  ],
  ['TOOL_FAILED', structured, { recoverable: false, details: 'Additional context' }],
])('the error scenario that is %s here', async (code, error, more) => {
  const { end, raw } = await started();
  const { answer } = hear((sink) =>
    end.extractor!.extract({ source: { kind: 'path', path: '/tmp/a' } }, sink),
  );
  await replyError(raw, error);
  const { code: wireCode, message, data } = error;
  const { reason } = data;
  expect(await answer).toEqual({ ok: false, error: { code, message, wireCode, data, reason, ...more } });
});
