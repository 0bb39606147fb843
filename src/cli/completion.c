/* weir completion bash: a completion script made from the table of commands. */
#include <stdio.h>

#include "cli/cli.h"

static void print_words(const weir_cli_command *command)
{
    printf("        %s) words=\"", command->name);
    for (size_t i = 0; command->words[i] != NULL; i++) {
        printf("%s%s", i == 0 ? "" : " ", command->words[i]);
    }
    printf("\" ;;\n");
}

static void print_bash(void)
{
    printf("# Completion of weir for bash: source <(weir completion bash)\n"
           "_weir()\n"
           "{\n"
           "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\n"
           "    case \"$previous\" in\n"
           "        --format) COMPREPLY=($(compgen -W 'table csv json jsonl' -- \"$current\")); return ;;\n"
           "    esac\n"
           "    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        print_words(&weir_cli_commands[i]);
    }
    printf("    esac\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        words='");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        printf("%s ", weir_cli_commands[i].name);
    }
    printf("--help --version'\n"
           "    fi\n"
           "    case \"$current\" in\n"
           "        -* | '') COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
           "        *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _weir weir\n");
}

int weir_cli_completion(const weir_cli_command *command, int count, char **words)
{
    if (count != 1 || strcmp(words[0], "bash") != 0) {
        weir_error err = {0};
        weir_fail(&err, WEIR_INVALID, "expected the name of a shell: bash");
        return weir_cli_usage_error(command, &err);
    }
    print_bash();
    return WEIR_CLI_DONE;
}
