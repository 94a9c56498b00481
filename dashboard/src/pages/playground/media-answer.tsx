import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core'
import { Download, ExternalLink, Sparkles } from 'lucide-react'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { Facts } from './answer-facts.tsx'
import { readAnswer } from './draft.ts'
import { imagesOf, type MadeImage } from './media-draft.ts'
import classes from './playground.module.css'
import type { Attempt } from './use-try.ts'

/** What was made, to look at, to hear, to read and to keep. */
export function MediaAnswer({ attempt: { data, error, isPending } }: { attempt: Attempt }) {
  return (
    <Panel title="Answer">
      <div aria-live="polite" aria-busy={isPending}>
        {error !== null && (
          <Alert color="red" p={0}>
            <ErrorState error={error} />
          </Alert>
        )}
        {isPending && data === undefined ? (
          <Skeleton height={180} />
        ) : data === undefined ? (
          <EmptyState title="No answer yet" icon={Sparkles}>
            What is made, the provider and the cost appear here. Nothing is stored.
          </EmptyState>
        ) : (
          <Stack>
            <Made answered={data} />
            <Facts answered={data} />
          </Stack>
        )}
      </div>
    </Panel>
  )
}

function Made({ answered: { body, sound } }: { answered: NonNullable<Attempt['data']> }) {
  const { error } = readAnswer(body)
  if (error !== null) {
    return (
      <Alert color="red" title={<span className="mono">{error.code}</span>}>
        {error.message}
      </Alert>
    )
  }
  if (sound !== undefined) {
    return (
      <Stack gap="xs" align="flex-start">
        {/* biome-ignore lint/a11y/useMediaCaption: the text beside it is what it says. */}
        <audio controls src={sound.address} aria-label="The speech" className={classes['sound']} />
        <Keep address={sound.address} name={sound.name} />
      </Stack>
    )
  }
  const images = imagesOf(body)
  if (images.length > 0) return images.map((image) => <Shown key={image.name} image={image} />)
  const text = typeof body === 'string' ? body : ((body as { text?: string } | null)?.text ?? '')
  return (
    <Stack gap="xs" align="flex-start">
      <div className={classes['answer']}>{text}</div>
      <Keep address={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} name="transcript.txt" />
    </Stack>
  )
}

function Shown({ image: { source, url, name } }: { image: MadeImage }) {
  return (
    <Stack gap="xs" align="flex-start">
      {source !== null && <img src={source} alt="Made by the model" className={classes['image']} />}
      <Group gap="xs">
        {source !== null && <Keep address={source} name={name} />}
        {url !== null && (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            variant="default"
            size="xs"
            leftSection={<ExternalLink size={14} aria-hidden />}
          >
            Open at the provider
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Keep({ address, name }: { address: string; name: string }) {
  return (
    <Button
      component="a"
      href={address}
      download={name}
      variant="default"
      size="xs"
      leftSection={<Download size={14} aria-hidden />}
    >
      Download
    </Button>
  )
}
