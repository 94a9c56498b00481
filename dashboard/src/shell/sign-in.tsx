import { Alert, Button, Center, Divider, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound, LogIn } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../api/client.ts'
import { useOperation } from '../api/hooks.ts'
import { Logo } from '../components/logo.tsx'

export function SignIn() {
  const queries = useQueryClient()
  const options = useOperation('sessions.options', {})
  const [key, setKey] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function signIn(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await call('sessions.create', { body: { key: key.trim() } })
      await queries.resetQueries()
    } catch (problem) {
      setError(problem instanceof ApiError ? problem.message : 'Something went wrong. Try again.')
      setBusy(false)
    }
  }

  const oidc = options.data?.oidc ?? null
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Stack align="center" gap={6}>
          <Logo size={44} />
          <Title order={1}>Switchyard</Title>
          <Text c="dimmed" size="sm">
            {oidc === null ? 'Sign in with an admin key' : `Sign in with ${oidc.name} or an admin key`}
          </Text>
        </Stack>
        <Paper withBorder p="xl" bg="var(--surface-raised)">
          {oidc !== null && (
            <>
              <Button
                component="a"
                href={signInAddress(oidc.url)}
                fullWidth
                leftSection={<LogIn size={16} aria-hidden />}
              >
                Sign in with {oidc.name}
              </Button>
              <Divider my="lg" label="or" />
            </>
          )}
          <form onSubmit={signIn}>
            <Stack>
              <PasswordInput
                label="Admin key"
                description="Starts with gw_admin_. It was shown when the gateway first started."
                placeholder="gw_admin_…"
                leftSection={<KeyRound size={16} />}
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
                autoComplete="current-password"
                data-autofocus
                autoFocus={oidc === null}
                required
              />
              {error !== null && (
                <Alert color="red" variant="light" role="alert">
                  {error}
                </Alert>
              )}
              <Button type="submit" loading={isBusy} fullWidth variant={oidc === null ? 'filled' : 'default'}>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text c="dimmed" size="xs" ta="center">
          Your key isn’t stored in this browser. The session ends after a day or when you sign out.
        </Text>
      </Stack>
    </Center>
  )
}

/** Back to the page that they came for. */
function signInAddress(url: string): string {
  const { pathname, search } = window.location
  return `${url}?${new URLSearchParams({ return_to: pathname + search })}`
}
