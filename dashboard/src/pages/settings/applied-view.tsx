import { Alert, Stack, Table, Text } from '@mantine/core'
import { CircleCheck, ShieldAlert } from 'lucide-react'
import type { Reply } from '../../api/client.ts'
import { CopyText } from '../../components/copy.tsx'
import { planSummary } from './plan-words.ts'

/** What was made so, and the values of keys that were made on the way: shown here and nowhere else. */
export function AppliedView({ of: { changes, unchanged, created_keys: created } }: { of: Reply<'config.apply'> }) {
  return (
    <Stack>
      <Alert color="teal" variant="light" icon={<CircleCheck aria-hidden />} title="Applied" role="status">
        {planSummary(changes, unchanged)}
      </Alert>
      {created.length > 0 && (
        <Alert color="yellow" variant="light" icon={<ShieldAlert aria-hidden />} title="New keys: copy them now">
          <Text size="sm" mb="xs">
            This is the only time their values are shown.
          </Text>
          <Table variant="vertical" withRowBorders={false}>
            <Table.Tbody>
              {created.map(({ workspace, name, value }) => (
                <Table.Tr key={`${workspace} ${name}`}>
                  <Table.Th scope="row">
                    {name} in {workspace}
                  </Table.Th>
                  <Table.Td>
                    <CopyText value={value} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Alert>
      )}
    </Stack>
  )
}
