import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import { usePath } from '../../shell/place.ts'
import { Counts } from './import-preview.tsx'
import type { ImportReport } from './import-rows.tsx'

/** What came of it. */
export function ImportDone({ report, onClose }: { report: ImportReport; onClose: () => void }) {
  const path = usePath()
  return (
    <Stack>
      <Alert color="teal" variant="light" role="status" icon={<CircleCheck size={18} aria-hidden />}>
        List applied. It prices calls from now on.
      </Alert>
      <Counts report={report} />
      <Text size="sm" c="dimmed">
        Every new price version has the source <span className="mono">{report.source}</span>.
      </Text>
      <Group justify="space-between">
        <Anchor component={Link} href={`${path('audit')}?resource=registry`} size="sm">
          Show in the audit log
        </Anchor>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
