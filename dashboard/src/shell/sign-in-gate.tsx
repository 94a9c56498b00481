import { Center, Loader } from '@mantine/core'
import { useOperation } from '../api/hooks.ts'
import { ErrorState } from '../components/states.tsx'
import { Frame } from './frame.tsx'
import { MemberFrame } from './member-frame.tsx'
import { SignIn } from './sign-in.tsx'

/** Without a session, every address shows the sign-in, and its page afterwards. */
export function SignInGate() {
  const session = useOperation('sessions.current', {})
  if (session.isSuccess && !session.isPlaceholderData) {
    return session.data.role === 'member' ? <MemberFrame session={session.data} /> : <Frame session={session.data} />
  }
  if (session.error?.status === 401) return <SignIn />
  if (session.error) {
    return (
      <Center mih="100vh">
        <ErrorState error={session.error} retry={() => void session.refetch()} />
      </Center>
    )
  }
  return (
    <Center mih="100vh">
      <Loader role="status" aria-label="Loading" />
    </Center>
  )
}
