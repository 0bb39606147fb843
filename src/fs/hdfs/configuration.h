/* What is known of a Hadoop cluster: its configuration files, and options in their place. */
#ifndef WEIR_FS_HDFS_CONFIGURATION_H
#define WEIR_FS_HDFS_CONFIGURATION_H

#include "base/arena.h"
#include "base/error.h"
#include "fs/settings.h"

/* Zero-initialized is empty. */
typedef struct weir_hadoop_configuration {
    weir_arena *arena; /* where all texts live */
    const char **names;
    const char **values;
    size_t count;
    size_t capacity;
    const char *folder; /* of the last file that was read; NULL: there is none */
} weir_hadoop_configuration;

/* Reads core-site.xml and hdfs-site.xml, and then takes options. Each overrides what came before, in the order of Java
 * Paimon: HADOOP_HOME/conf, HADOOP_HOME/etc/hadoop, the folder of the option 'hadoop-conf-dir', HADOOP_CONF_DIR,
 * options that begin with "hadoop.", and at last the options "fs.…" and "dfs.…" by themselves. 'hadoop-conf-loader'
 * leaves out the environment ("option") or the option ("env"). Missing files are fine. `arena` outlives `out`, which is
 * freed with weir_hadoop_configuration_free. */
int weir_hadoop_configuration_load(const weir_fs_settings *settings, weir_arena *arena, weir_hadoop_configuration *out,
                                   weir_error *err);
void weir_hadoop_configuration_free(weir_hadoop_configuration *configuration);

/* The value of a property with its ${variables} (other properties, ${env.NAME}, user.name and user.home) in place;
 * NULL when it is not set. Lives in the arena. */
const char *weir_hadoop_configuration_get(const weir_hadoop_configuration *configuration, const char *name);

/* The parts of a value such as "nn1, nn2", in the arena. Gives how many there are. */
size_t weir_hadoop_split_list(const char *value, weir_arena *arena, const char ***out);

/* The name that Hadoop gives to whoever runs this program: HADOOP_USER_NAME or the user of the process. */
const char *weir_hadoop_user_name(weir_arena *arena);

#endif
