import { callOrigin } from '../../api/call-origin.ts'
import { useOperation } from '../../api/hooks.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { useWorkspace } from '../../shell/place.ts'

/** The first call, ready to paste. */
export function FirstCall() {
  const workspace = useWorkspace()
  const catalog = useOperation('catalog.list', { query: { workspace, limit: 1 } })
  return <CodeBlock label="The first call" code={curl(callOrigin(), catalog.data?.data[0]?.id ?? 'MODEL')} />
}

function curl(url: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] })
  return [
    `curl ${url}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer $GATEWAY_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n')
}
