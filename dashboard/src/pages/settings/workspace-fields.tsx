import { Stack, Text, Textarea } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { LimitsFields } from '../../components/limits/limits-fields.tsx'
import type { LimitsForm } from '../../components/limits/limits-form.ts'
import { ContentField } from './content-field.tsx'
import type { ContentForm } from './content-form.ts'
import { StreamingField } from './streaming-field.tsx'

export interface WorkspaceForm {
  description: string
  limits: LimitsForm
  streaming: boolean | null
  content: ContentForm
}

export interface WorkspaceFieldsProps {
  form: WorkspaceForm
  onChange: (form: WorkspaceForm) => void
  error: ApiError | null
  /** The limits belong to the configuration file. */
  areLimitsFixed?: boolean
  /** And so does streaming. */
  isStreamingFixed?: boolean
  isContentFixed?: boolean
}

export function WorkspaceFields(props: WorkspaceFieldsProps) {
  const { form, onChange, error, areLimitsFixed = false, isStreamingFixed = false, isContentFixed = false } = props
  return (
    <Stack>
      <Textarea
        label="Description"
        description="For people: what it is for, and whose it is"
        autosize
        minRows={2}
        maxRows={6}
        value={form.description}
        onChange={(event) => onChange({ ...form, description: event.currentTarget.value })}
        error={problemAt(error, 'description')}
      />
      <StreamingField
        value={form.streaming}
        onChange={(streaming) => onChange({ ...form, streaming })}
        error={problemAt(error, 'streaming')}
        isFixed={isStreamingFixed}
      />
      <ContentField
        form={form.content}
        onChange={(content) => onChange({ ...form, content })}
        error={problemAt(error, 'content')}
        isFixed={isContentFixed}
      />
      {!areLimitsFixed && (
        <>
          <Text size="sm" c="dimmed">
            Limits of all its keys together. A call must fit into these and into those of its key.
          </Text>
          <LimitsFields form={form.limits} onChange={(limits) => onChange({ ...form, limits })} error={error} />
        </>
      )}
    </Stack>
  )
}
