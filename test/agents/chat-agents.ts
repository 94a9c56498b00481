import { join } from 'node:path'
import { type Agent, ANSWER, connectTool, goOut, NOTE, program, script } from './agent.ts'

/** Agents that speak chat completions, each with a task of one tool turn. */
export const openCode: Agent = {
  name: 'OpenCode',
  endpoint: 'chat',
  memory: 'AGENTS.md',
  turns: (workFolder) => [
    {
      text: 'I write it.',
      calls: [{ name: 'write', input: { filePath: join(workFolder, 'note.txt'), content: NOTE } }],
    },
    { text: ANSWER },
  ],
  async run(connection, folders, prompt) {
    await connectTool('opencode', connection, folders)
    const settings = {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      // It installs what its plugins need as soon as there is a configuration; this address refuses it.
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    }
    // Its installation script would only link the program that is here already.
    const path = `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`
    return goOut(program(path), ['run', prompt], folders, { ...connection.environment, ...settings })
  },
}

export const continueCli: Agent = {
  name: 'Continue',
  endpoint: 'chat',
  memory: 'AGENTS.md',
  turns: (workFolder) => [
    {
      text: 'I write it.',
      calls: [{ name: 'Write', input: { filepath: join(workFolder, 'note.txt'), content: NOTE } }],
    },
    { text: ANSWER },
  ],
  async run(connection, folders, prompt) {
    await connectTool('continue', connection, folders)
    const settings = { CONTINUE_TELEMETRY_ENABLED: '0' }
    const path = script('node_modules/@continuedev/cli/dist/cn.js')
    return goOut(path, ['--print', '--auto', prompt], folders, { ...connection.environment, ...settings })
  },
}
