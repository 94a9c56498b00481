import { shellWord } from './shell-word.ts'

/** What a tool's settings depend on. */
export interface Connection {
  /** Without a path. */
  url: string
  /** The value of a key, or where it will be. */
  key: string
  model: string
}

/** How a tool is pointed at a gateway. docs/agents.md shows the same lines, and a test compares them. */
export interface AgentSetup {
  name: string
  title: string
  /** Where the lines belong. */
  place: string
  /** The same of `helperLines`. */
  helperPlace?: string
  /** It works only with streaming. */
  needsStreams: boolean
  /** Its model picker shows only names that contain this. */
  modelHint?: string
  lines(connection: Connection): string
  /** The same with a command that prints a key each time; left out where the tool knows no such thing. */
  helperLines?(connection: Omit<Connection, 'key'> & { command: readonly string[] }): string
  notes: readonly string[]
}

export const AGENT_SETUPS: readonly AgentSetup[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    place: 'in the shell that starts claude, or under "env" in ~/.claude/settings.json',
    helperPlace: 'in ~/.claude/settings.json',
    needsStreams: true,
    modelHint: 'claude',
    lines: ({ url, key, model }) =>
      [
        `export ANTHROPIC_BASE_URL='${url}'`,
        `export ANTHROPIC_AUTH_TOKEN='${key}'`,
        `export ANTHROPIC_MODEL='${model}'`,
        `export ANTHROPIC_DEFAULT_HAIKU_MODEL='${model}'`,
        'export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1',
      ].join('\n'),
    helperLines: ({ url, model, command }) =>
      JSON.stringify(
        {
          apiKeyHelper: command.map(shellWord).join(' '),
          env: {
            ANTHROPIC_BASE_URL: url,
            ANTHROPIC_MODEL: model,
            ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
            CLAUDE_CODE_API_KEY_HELPER_TTL_MS: '60000',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          },
        },
        null,
        2,
      ),
    notes: [
      'Titles and summaries use ANTHROPIC_DEFAULT_HAIKU_MODEL: set it to a cheaper alias.',
      'If the route uses a provider other than Anthropic, add: export CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1',
    ],
  },
  {
    name: 'codex',
    title: 'Codex',
    place: 'in ~/.codex/config.toml; the key is read from the variable',
    helperPlace: 'in ~/.codex/config.toml',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        `model = "${model}"`,
        'model_provider = "switchyard"',
        '',
        '[model_providers.switchyard]',
        'name = "Switchyard"',
        `base_url = "${url}/v1"`,
        'env_key = "SWITCHYARD_KEY"',
        'wire_api = "responses"',
        '',
        `# in the shell: export SWITCHYARD_KEY='${key}'`,
      ].join('\n'),
    helperLines: ({ url, model, command: [program = '', ...args] }) =>
      [
        `model = "${model}"`,
        'model_provider = "switchyard"',
        '',
        '[model_providers.switchyard]',
        'name = "Switchyard"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        '',
        '[model_providers.switchyard.auth]',
        `command = "${program}"`,
        `args = ${JSON.stringify(args)}`,
      ].join('\n'),
    notes: [
      'Under a hard budget, Codex may search the web twice per call at OpenAI; other providers get no search. Set web_search = "disabled" for smaller holds.',
      'Name the route like a model that Codex knows (gpt-5.5, …) and Codex uses its tools for that model.',
    ],
  },
  {
    name: 'codex-base-url',
    title: 'Codex, only the base URL',
    place: 'in ~/.codex/config.toml; the last line belongs in ~/.codex/auth.json',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        `model = "${model}"`,
        'model_provider = "openai"',
        `openai_base_url = "${url}/v1"`,
        '',
        `# in ~/.codex/auth.json: {"auth_mode":"apikey","OPENAI_API_KEY":"${key}"}`,
      ].join('\n'),
    notes: [
      'Codex takes the gateway for OpenAI: it tries a WebSocket first, then HTTP, and has the gateway compact long conversations. With its own block (codex) it does without.',
      'Of the environment it reads neither OPENAI_BASE_URL nor OPENAI_API_KEY; codex exec alone reads CODEX_API_KEY.',
    ],
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    place: 'in the shell that starts gemini; the last line belongs in ~/.gemini/settings.json',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        `export GOOGLE_GEMINI_BASE_URL='${url}'`,
        `export GEMINI_API_KEY='${key}'`,
        `export GEMINI_MODEL='${model}'`,
        '',
        '# in ~/.gemini/settings.json: {"security":{"auth":{"selectedType":"gemini-api-key"}}}',
      ].join('\n'),
    notes: [
      'Without that line it refuses a base URL of its own in one-shot mode; signing in with Google leads past the gateway.',
      'For its small calls it names models itself: give the workspace routes of these names (docs/generate-content.md).',
    ],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    place: 'in Cursor Settings → Models → API Keys; switch each on',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        `OpenAI API Key            ${key}`,
        `Override OpenAI Base URL  ${url}/v1`,
        `Add a custom model        ${model}`,
      ].join('\n'),
    notes: [
      'Cursor calls from its own servers, so they must be able to reach this address.',
      'Only chats use these settings. Tab completion keeps using Cursor’s own models.',
    ],
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    place: 'in opencode.json; the key is read from the variable SWITCHYARD_KEY',
    needsStreams: true,
    lines: ({ url, model }) =>
      JSON.stringify(
        {
          provider: {
            switchyard: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Switchyard',
              options: { baseURL: `${url}/v1`, apiKey: '{env:SWITCHYARD_KEY}' },
              models: { [model]: { name: model } },
            },
          },
          model: `switchyard/${model}`,
        },
        null,
        2,
      ),
    notes: ['Conversation titles are calls too. For a cheaper model, set "small_model": "switchyard/<alias>".'],
  },
  {
    name: 'continue',
    title: 'Continue',
    place: 'in ~/.continue/config.yaml',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        'name: Switchyard',
        'version: 0.0.1',
        'schema: v1',
        'models:',
        `  - name: ${model}`,
        '    provider: openai',
        `    model: ${model}`,
        `    apiBase: ${url}/v1`,
        `    apiKey: ${key}`,
        '    roles: [chat, edit, apply]',
      ].join('\n'),
    notes: ['Continue sends no output limit. If the route uses Anthropic, set max_output_tokens on its entry.'],
  },
  {
    name: 'cline',
    title: 'Cline',
    place: 'in its settings, API Provider: OpenAI Compatible',
    needsStreams: true,
    lines: ({ url, key, model }) => [`Base URL  ${url}/v1`, `API Key   ${key}`, `Model ID  ${model}`].join('\n'),
    notes: [
      'For its command line: switchyard connect cline --write. cline auth would leave the key in the history of the shell.',
      'Cline sends no output limit. If the route uses Anthropic, set max_output_tokens on its entry.',
    ],
  },
  {
    name: 'aider',
    title: 'Aider',
    place: 'in ~/.aider.conf.yml; the key is read from the variable',
    needsStreams: true,
    lines: ({ url, key, model }) =>
      [
        `model: openai/${model}`,
        `weak-model: openai/${model}`,
        `openai-api-base: ${url}/v1`,
        '',
        `# in the shell: export OPENAI_API_KEY='${key}'`,
      ].join('\n'),
    notes: ['Commit messages and summaries use weak-model: set it to a cheaper alias.'],
  },
  {
    name: 'open-webui',
    title: 'Open WebUI',
    place: 'in its environment',
    needsStreams: true,
    lines: ({ url, key }) =>
      [`export OPENAI_API_BASE_URL='${url}/v1'`, `export OPENAI_API_KEY='${key}'`, 'open-webui serve'].join('\n'),
    notes: [
      'It lists every model the key may use (GET /v1/models).',
      'It reads these variables only at its first start. Later, change them in Admin Settings → Connections.',
    ],
  },
]
