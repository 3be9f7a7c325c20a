// Commands that no line may have where a permissions file says so, by name.
import { baseName, flattened, type ShellReading } from '../shell/shell-command.ts';
import type { Sanitization } from '../file/permissions-file.ts';

/** Why it is not allowed; undefined when nothing in it is dangerous. */
export function dangerousIn(reading: ShellReading, rules: Sanitization): string | undefined {
  if (rules.block_dangerous_commands === false && !rules.custom_blocked_commands) return undefined;
  const custom = new Set(rules.custom_blocked_commands?.map(comparable));
  const allowed = new Set(rules.allowed_dangerous_commands?.map(comparable));
  const listed = rules.block_dangerous_commands === false ? new Set<string>() : dangerousCommands;
  for (const { kind, words } of flattened(reading.commands)) {
    const name = comparable(words[0]?.text ?? '');
    // mkfs.ext4 is mkfs.
    const family = name.split('.', 1)[0] ?? '';
    if (custom.has(name)) return `"${name}" is one of the blocked commands`;
    if (allowed.has(name) || allowed.has(family)) continue;
    if (listed.has(name) || listed.has(family)) return `"${name}" is a dangerous command`;
    if (listed.size > 0 && kind === 'write' && words[1]?.prefix.startsWith('/dev/')) {
      return `it writes to the device "${words[1].prefix}"`;
    }
  }
  return undefined;
}

/** File systems may not tell case apart. */
function comparable(name: string): string {
  return baseName(name).toLowerCase();
}

export const dangerousCommands: ReadonlySet<string> = new Set(
  // Becoming somebody else.
  (
    'sudo su doas pkexec run0 runuser ' +
    // The system.
    'shutdown reboot halt poweroff init telinit systemctl service mount umount iptables nft crontab visudo passwd useradd userdel usermod ' +
    // Destroying.
    'rm rmdir unlink mkfs mke2fs dd shred wipefs fdisk sfdisk parted truncate ' +
    // The network.
    'curl wget nc ncat netcat socat ssh scp sftp ftp telnet ' +
    // Other processes, and who may do what.
    'kill killall pkill chmod chown chgrp chattr setfacl'
  ).split(' '),
);
