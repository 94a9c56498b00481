import { Anchor, Stack, Table, Text, Title } from '@mantine/core'
import { callOrigin } from '../api/call-origin.ts'
import { CodeBlock } from '../components/code-block.tsx'
import type { ApiDocument, ApiOperation } from './document.ts'

/** Where calls go, which key they need, and what errors look like in each format. */
export function Introduction({ document: { version, operations } }: { document: ApiDocument }) {
  const calls = operations.filter(({ auth }) => auth === 'gateway')
  return (
    <Stack gap="lg" maw={820}>
      <div>
        <Title order={1}>Switchyard API</Title>
        <Text c="dimmed" size="sm">
          Version {version} ·{' '}
          <Anchor href="/openapi.json" underline="always">
            OpenAPI 3.1
          </Anchor>
        </Text>
      </div>
      <section aria-label="Authentication">
        <Title order={2}>Authentication</Title>
        <Text>
          Applications call <span className="mono">{callOrigin()}/v1</span> with a gateway key (
          <span className="mono">gw_live_…</span>). The management API takes an admin key (
          <span className="mono">gw_admin_…</span>) or, on this page, your dashboard session. Send either as{' '}
          <span className="mono">Authorization: Bearer …</span>
        </Text>
      </section>
      <section aria-label="Errors">
        <Title order={2}>Errors</Title>
        <Text mb="sm">
          Every endpoint reports errors in its own format, with the same <span className="mono">code</span>. For
          example, when a hard budget is used up:
        </Text>
        <Stack gap="md">
          {dialects(calls).map(({ paths, example }) => (
            <div key={paths.join()}>
              <Text size="sm" mb={4} className="mono">
                {paths.join(', ')}
              </Text>
              <CodeBlock label={`An error of ${paths[0]}`} code={JSON.stringify(example, null, 2)} />
            </div>
          ))}
        </Stack>
        <ErrorTable operation={calls[0]} />
      </section>
    </Stack>
  )
}

/** Endpoints that write the same error alike. */
function dialects(calls: readonly ApiOperation[]): { paths: string[]; example: unknown }[] {
  const posted = calls.filter(({ method }) => method === 'POST')
  const exampleOf = ({ answers }: ApiOperation) => answers.find(({ status }) => status === '402')?.media?.example
  return [...Map.groupBy(posted, (operation) => JSON.stringify(exampleOf(operation)))].flatMap(([, alike]) => {
    const [first] = alike
    return first === undefined ? [] : [{ paths: alike.map(({ path }) => path), example: exampleOf(first) }]
  })
}

function ErrorTable({ operation }: { operation: ApiOperation | undefined }) {
  const rows = (operation?.answers ?? []).flatMap(({ status, description }) =>
    [...description.matchAll(/`(\w+)`: (.*)/g)].map(([, code = '', when = '']) => ({ status, code, when })),
  )
  return (
    <Table.ScrollContainer minWidth={480} mt="md">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Status</Table.Th>
            <Table.Th>Code</Table.Th>
            <Table.Th>When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ status, code, when }) => (
            <Table.Tr key={code}>
              <Table.Td>{status}</Table.Td>
              <Table.Td className="mono">{code}</Table.Td>
              <Table.Td>{when}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
