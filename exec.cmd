@rem `exec` of a POSIX shell, for the start script in package.json: cmd.exe finds this file in the folder that npm runs scripts in.
@%*
